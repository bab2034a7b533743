#!/usr/bin/env bash
# Looks at everything in this folder with the tools that are there, and says what was skipped for lack of one. Installs
# nothing, starts nothing, needs no root and no network. Exit code 1 if anything is wrong.
#
#   check.sh [PROGRAM]    with a program, such as ../target/release/antichain, also whether it knows every option
set -euo pipefail

program=
if (($#)); then
    program=$(realpath -e "$1")
fi
cd "$(dirname "${BASH_SOURCE[0]}")"
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
wrong=0

# Runs a check of a minute at most, and shows what it wrote if it fails.
check() {
    local what=$1
    shift
    if timeout 60 "$@" >"$folder/out" 2>&1; then
        echo "ok: $what"
    else
        echo "FAILED: $what"
        sed 's/^/    /' "$folder/out"
        wrong=1
    fi
}
skipped() { echo "skipped: $2 ($1 is not installed)"; }
have() { command -v "$1" >/dev/null; }

# A Python that reads YAML: that of the system may have the module where the first one in PATH has not.
python=
for candidate in python3 /usr/bin/python3; do
    if have "$candidate" && "$candidate" -c 'import yaml' 2>/dev/null; then
        python=$candidate
        break
    fi
done

scripts=(check.sh container/build.sh slurm/test.sh slurm/*.sbatch)
for script in "${scripts[@]}"; do
    check "$script is bash" bash -n "$script"
done
if have shellcheck; then
    check "scripts, by shellcheck" shellcheck --shell=bash "${scripts[@]}"
else
    skipped shellcheck scripts
fi

if have systemd-analyze; then
    mkdir "$folder/units"
    for unit in systemd/*.service; do
        # The program need not be installed for that.
        sed "s#/usr/local/bin/antichain#$(command -v true)#" "$unit" >"$folder/units/${unit##*/}"
    done
    # It ends with 0 whatever words it does not know, and says so. What it says of other units is not about these.
    cat >"$folder/verify.sh" <<'END'
said=$(systemd-analyze verify "$@" 2>&1) || { echo "$said"; exit 1; }
! grep antichain <<<"$said"
END
    check "units" bash "$folder/verify.sh" "$folder"/units/*.service
    for unit in systemd/*.service; do
        # 0 is best, 10 worst; above 2 something was left out.
        check "$unit is hardened" systemd-analyze security --no-pager --offline=true --threshold=20 "$unit"
        sed -n 's/^→ /    /p' "$folder/out"
    done
else
    skipped systemd-analyze units
fi

if have docker-compose; then
    check "container/compose.yaml, by docker-compose" docker-compose --file container/compose.yaml config
elif have docker && docker compose version >/dev/null 2>&1; then
    check "container/compose.yaml, by docker compose" docker compose --file container/compose.yaml config
else
    skipped docker-compose container/compose.yaml
fi

if [[ -n $python ]]; then
    for file in container/compose.yaml kubernetes/*.yaml prometheus/*.yml; do
        check "$file is YAML" "$python" -c 'import sys, yaml; list(yaml.safe_load_all(open(sys.argv[1])))' "$file"
    done
else
    skipped "a Python with the module yaml" "YAML files"
fi

if have kubernetes-validate; then
    check "manifests, against the schemas of Kubernetes" kubernetes-validate --strict \
        kubernetes/namespace.yaml kubernetes/coordinator.yaml kubernetes/workers.yaml kubernetes/network.yaml
else
    skipped kubernetes-validate "schemas of the manifests"
fi
if have kubectl; then
    check "kubernetes/kustomization.yaml" kubectl kustomize kubernetes
else
    skipped kubectl kubernetes/kustomization.yaml
fi

if have python3; then
    cat >"$folder/dashboard.py" <<'END'
"""Queries of the dashboard as a file of rules, for promtool; every metric must be one that a coordinator has."""
import json
import re
import sys

dashboard = json.load(open("grafana/antichain.json"))
queries = [target["expr"] for panel in dashboard["panels"] for target in panel.get("targets", [])]
queries += [annotation["expr"] for annotation in dashboard["annotations"]["list"]]
numbers = [panel["id"] for panel in dashboard["panels"]]
assert len(numbers) == len(set(numbers)), "two panels have one number"
made = open("../coordinator/src/metrics.rs").read()
for text in queries + [open("prometheus/alerts.yml").read()]:
    for name in re.findall(r"\b(?:antichain|process)_[a-z_]+", text):
        bare = re.sub(r"^(antichain|process)_|_total$", "", name)
        assert f'"{bare}"' in made, f"no coordinator has {name}"
rules = []
for query in queries:
    query = query.replace("$job", ".*").replace("$instance", ".*").replace("$__rate_interval", "1m")
    rules.append({"record": f"query_{len(rules)}", "expr": query})
json.dump({"groups": [{"name": "dashboard", "rules": rules}]}, open(sys.argv[1], "w"))
END
    check "grafana/antichain.json" python3 "$folder/dashboard.py" "$folder/dashboard.yml"
else
    skipped python3 grafana/antichain.json
fi

if have promtool; then
    check "prometheus/prometheus.yml" promtool check config --syntax-only prometheus/prometheus.yml
    check "prometheus/alerts.yml" promtool check rules prometheus/alerts.yml
    check "prometheus/alerts.test.yml" promtool test rules prometheus/alerts.test.yml
    if [[ -s $folder/dashboard.yml ]]; then
        check "queries of the dashboard" promtool check rules "$folder/dashboard.yml"
    fi
else
    skipped promtool "prometheus/ and queries of the dashboard"
fi

if [[ -z $python ]]; then
    skipped "a Python with the module yaml" "options of the program"
elif [[ -z $program ]]; then
    echo "skipped: options of the program (none was named)"
else
    cat >"$folder/options.py" <<'END'
"""Every option that units, containers and manifests give to the program must be one that its help lists."""
import glob
import re
import subprocess
import sys

import yaml

calls = []
for file in glob.glob("systemd/*.service"):
    text = open(file).read().replace("\\\n", " ")
    calls += [(file, line.split()[1:]) for line in re.findall(r"^ExecStart=(.*)", text, re.M)]
file = "systemd/antichain.env.example"
for command, words in re.findall(r"^#?(COORDINATOR|WORKER)_OPTIONS=(.*)", open(file).read(), re.M):
    calls.append((file, [command.lower(), *words.split()]))
compose = yaml.safe_load(open("container/compose.yaml"))
for service in compose["services"].values():
    calls.append(("container/compose.yaml", service["command"]))
    if "healthcheck" in service:
        calls.append(("container/compose.yaml", service["healthcheck"]["test"][2:]))
for file in glob.glob("kubernetes/*.yaml"):
    for item in yaml.safe_load_all(open(file)):
        for container in item.get("spec", {}).get("template", {}).get("spec", {}).get("containers", []):
            calls.append((file, container["args"]))
for file in glob.glob("slurm/*.sbatch"):
    text = open(file).read().replace("\\\n", " ")
    calls += [(file, line.split()) for line in re.findall(r'^ *"\$antichain" ([a-z]+ .*)', text, re.M)]
assert len(calls) > 10, "calls were not found"
helps = {}
unknown = set()
for file, (command, *words) in calls:
    if command not in helps:
        helps[command] = subprocess.run(
            [sys.argv[1], command, "--help"], check=True, capture_output=True, text=True, timeout=20
        ).stdout
    for word in words:
        option = re.match(r"--[a-z-]+", word)
        if option and not re.search(rf"^ +(-., )?{option[0]}\b", helps[command], re.M):
            unknown.add(f"{file}: {command} {option[0]}")
assert not unknown, unknown
print(len(calls), "calls")
END
    check "options, by the help of the program" "$python" "$folder/options.py" "$program"
fi

exit "$wrong"
