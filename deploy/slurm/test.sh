#!/usr/bin/env bash
# Runs both batch scripts under a real Slurm: a controller and two hosts that are this machine, below a temporary folder.
#
#   test.sh [PROGRAM]     the program is ../../target/release/antichain if nothing else is said
#
# As root on Debian it installs what is missing (slurmctld, slurmd, slurm-client, munge). Sees to it that
#   - before the wall time (USR1) workers let their tasks end, the job goes back to the queue, and goes on on another host;
#   - scancel ends it for good;
#   - tasks of an array do so one by one.
# Takes about ten minutes, as Slurm lets a job that went back rest for two, and ends by itself after twenty.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
program=$(realpath "${1:-$here/../../target/release/antichain}")
# One for a second, and one that is long enough to be stopped in the middle.
short=(extensions boolean:6)
long=(grundy boolean:8 --max-elements 31)

say() { printf '%(%T)T %s\n' -1 "$*"; }
fail() {
    say "FAILED: $*"
    tail -n 40 "$folder"/*.log "$folder"/log/* 2>/dev/null || true
    exit 1
}
skip() { say "skipped: $*"; exit 0; }

[[ -x $program ]] || skip "there is no program $program"
"$program" certs --help >/dev/null 2>&1 || skip "$program makes no certificates"
((EUID == 0)) || skip "only root can be a Slurm of its own"
missing=
for tool in slurmctld slurmd sbatch munged; do
    command -v "$tool" >/dev/null || missing=$tool
done
if [[ -n $missing ]]; then
    command -v apt-get >/dev/null || skip "Slurm is not installed"
    say "installing Slurm"
    # Where the packages start a service by themselves, this test does not use it.
    DEBIAN_FRONTEND=noninteractive timeout 300 apt-get install -y --no-install-recommends \
        slurmctld slurmd slurm-client munge >/dev/null || skip "Slurm cannot be installed"
fi

# Once more, with an end.
if [[ -z ${ANTICHAIN_TEST_HAS_END:-} ]]; then
    ANTICHAIN_TEST_HAS_END=yes exec timeout --foreground 1200 "$here/test.sh" "$program"
fi

folder=$(mktemp -d)
pids=()
cleanup() {
    timeout 10 scancel --user="$(id -un)" 2>/dev/null || true
    # Workers may take their time to stop, and Slurm gives them KillWait.
    local try
    for ((try = 0; try < 40; try++)); do
        [[ -n $(timeout 5 squeue --noheader 2>/dev/null) ]] || break
        sleep 1
    done
    # From the last one started to the first; munged must outlive those who ask it.
    local number
    for ((number = ${#pids[@]} - 1; number >= 0; number--)); do
        kill "${pids[number]}" 2>/dev/null || true
        sleep 0.5
    done
    rm -rf "$folder"
}
trap cleanup EXIT
trap 'exit 1' TERM INT

# The cluster.
chmod 0755 "$folder"
mkdir -p "$folder"/{state,log,home,local}
head -c 1024 /dev/urandom >"$folder/munge.key"
chmod 0400 "$folder/munge.key"
host=$(hostname -s)
memory=$(($(sed -n 's/^MemTotal: *\([0-9]*\) kB/\1/p' /proc/meminfo) / 3072))
cores=$(nproc)
cat >"$folder/slurm.conf" <<END
ClusterName=test
SlurmctldHost=$host(127.0.0.1)
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket=$folder/munge.socket
CredType=cred/munge
SlurmctldPort=27817
StateSaveLocation=$folder/state
SlurmdSpoolDir=$folder/spool.%n
SlurmctldPidFile=$folder/slurmctld.pid
SlurmdPidFile=$folder/slurmd.%n.pid
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SwitchType=switch/none
MpiDefault=none
SchedulerType=sched/builtin
SelectType=select/cons_tres
SelectTypeParameters=CR_Core_Memory
ReturnToService=2
KillWait=30
JobRequeue=1
AccountingStorageType=accounting_storage/none
JobAcctGatherType=jobacct_gather/none
NodeName=one,two NodeHostname=$host NodeAddr=127.0.0.1 Port=[27818-27819] CPUs=$cores RealMemory=$memory
PartitionName=main Nodes=one,two Default=YES MaxTime=60 State=UP
END
export SLURM_CONF=$folder/slurm.conf
cd "$folder/home"

start() {
    local log=$1
    shift
    # Whatever runs in this cluster is nice to its neighbours.
    nice -n 19 "$@" >"$folder/log/$log" 2>&1 &
    pids+=($!)
}
start munged munged --foreground --force --key-file="$folder/munge.key" --socket="$folder/munge.socket" \
    --pid-file="$folder/munged.pid" --log-file="$folder/munged.log" --seed-file="$folder/munged.seed"
sleep 1
start slurmctld slurmctld -D
start slurmd.one slurmd -D -N one
start slurmd.two slurmd -D -N two

# Waits until a command says yes.
until_true() {
    local seconds=$1 what=$2 deadline
    shift 2
    deadline=$((SECONDS + seconds))
    until "$@" >/dev/null 2>&1; do
        ((SECONDS < deadline)) || fail "not within $seconds s: $what"
        sleep 1
    done
    say "ok: $what"
}
hosts_are_idle() { [[ $(sinfo --noheader --format=%T | sort -u) == idle ]]; }
job_is() { scontrol show job "$1" | grep -q "JobState=$2 "; }
logged() { grep -q -- "$2" "$folder/home/$1"; }
ask() {
    "$program" "$@" --coordinator "$(cat "$ANTICHAIN_SHARED/address")" --tls-ca "$ANTICHAIN_SHARED/current/ca.pem" \
        --token-file "$ANTICHAIN_SHARED/current/owner.token"
}
workers_are() { [[ $(ask workers --json | grep -o '"silent_seconds": *[0-4]\.' | wc -l) == "$1" ]]; }
ideals() { ask status "$1" --json | sed -n 's/.*"ideals": *\([0-9]*\).*/\1/p'; }
digest() { sed -n 's/.*digest \([0-9a-f]*\).*/\1/p' "$1" | tail -n 1; }
back_in_queue() { scontrol show job "$1" | tr '\n' ' ' | grep -q "JobState=PENDING .*Restarts=$2"; }

until_true 60 "two hosts are idle" hosts_are_idle
export ANTICHAIN=$program ANTICHAIN_SHARED=$folder/home/shared ANTICHAIN_SCRATCH=$folder/local ANTICHAIN_DRAIN=15s
small=(--cpus-per-task=1 --mem=1G --time=30)

say "a coordinator and two workers, told in the middle of a job that the wall time is near"
job=$(sbatch --parsable "${small[@]}" --output=serve.log "$here/antichain.sbatch")
until_true 60 "the coordinator says how to reach it" logged serve.log "users: antichain jobs"
until_true 60 "two workers have come" workers_are 2
name=$(ask submit "${long[@]}" 2>/dev/null)
is_under_way() { (($(ideals "$name") > 0)); }
until_true 120 "the job is under way" is_under_way
sleep 10
before=$(ideals "$name")
scancel --batch --signal=USR1 "$job"
until_true 120 "it is back in the queue" back_in_queue "$job" 1
logged serve.log "kept a copy" || fail "no copy was kept"
[[ $(stat -c %a "$ANTICHAIN_SHARED"/current/*.token | sort -u) == 600 ]] || fail "others may read the tokens"
[[ $(stat -c %a "$ANTICHAIN_SHARED") == 700 ]] || fail "others may look into the folder"

say "its next start, as on a host that has never seen it"
rm -rf "$folder/local"
mkdir "$folder/local"
until_true 240 "it goes on from the copy" logged serve.log "goes on from the copy"
until_true 60 "two workers have come again" workers_are 2
after=$(ideals "$name")
((after >= before)) || fail "of $before ideals only $after are still done"
say "ideals before and after: $before and $after"
timeout 600 "$program" submit "${long[@]}" --wait --coordinator "$(cat "$ANTICHAIN_SHARED/address")" \
    --tls-ca "$ANTICHAIN_SHARED/current/ca.pem" --token-file "$ANTICHAIN_SHARED/current/owner.token" \
    >/dev/null 2>"$folder/cluster" || fail "no answer"
nice -n 19 timeout 600 "$program" run "${long[@]}" --data "$folder/local/alone" >/dev/null 2>"$folder/alone"
[[ -n $(digest "$folder/alone") ]] || fail "the answer of one process has no digest"
[[ $(digest "$folder/cluster") == "$(digest "$folder/alone")" ]] || fail "another digest than that of one process"
say "ok: the digest is that of one process, $(digest "$folder/alone")"

say "scancel ends it for good"
scancel "$job"
until_true 60 "it is cancelled" job_is "$job" CANCELLED
sleep 3
job_is "$job" CANCELLED || fail "it went back to the queue"

say "a question: the answer in the log, and the end"
job=$(sbatch --parsable "${small[@]}" --output=question.log "$here/antichain.sbatch" "${short[@]}")
until_true 120 "it has ended" job_is "$job" COMPLETED
logged question.log "^141377911697227887117195970316200795630205476957716480\$" || fail "no answer in the log"

say "workers for a coordinator elsewhere, as an array"
data=$folder/local/elsewhere
certs=$(realpath "$ANTICHAIN_SHARED/current")
start elsewhere "$program" coordinator --listen 127.0.0.1:0 --data "$data" --access-file "$data/access.json" \
    --tls-cert "$certs/coordinator.pem" --tls-key "$certs/coordinator.key" --token-file "$certs/owner.token" \
    --worker-token-file "$certs/worker.token" --reader-token-file "$certs/reader.token"
until_true 30 "it listens" test -s "$data/access.json"
port=$(sed -n 's/.*"port": *\([0-9]*\).*/\1/p' "$data/access.json")
echo "https://localhost:$port" >"$ANTICHAIN_SHARED/address"
array=$(sbatch --parsable --array=1-2 "${small[@]}" --output=worker-%a.log "$here/worker.sbatch")
until_true 60 "two workers have come" workers_are 2
scancel --batch --signal=USR1 "${array}_1"
until_true 90 "one is back in the queue" back_in_queue "${array}_1" 1
job_is "${array}_2" RUNNING || fail "the other one does not run any more"
until_true 60 "one worker is left" workers_are 1
scancel "${array}_2"
until_true 60 "the other one is cancelled" job_is "${array}_2" CANCELLED
until_true 240 "the first one is there again" workers_are 1
scancel "$array"

say "preemption with a time of grace, which tells the workers alone"
job=$(sbatch --parsable "${small[@]}" --output=grace.log "$here/antichain.sbatch")
until_true 60 "the coordinator says how to reach it" logged grace.log "users: antichain jobs"
until_true 60 "two workers have come" workers_are 2
scancel --signal=TERM "$job"
until_true 90 "it is back in the queue" back_in_queue "$job" 1
scancel "$job"
say "passed"
