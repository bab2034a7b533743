//! What a host's shell is told: plain POSIX, so that any will do.

use antichain_proto::connect::Target;

use super::Host;

/// Names of files in the folder of a worker.
pub const TOKEN: &str = "token";
pub const AUTHORITY: &str = "ca.pem";
pub const CERTIFICATE: &str = "worker.pem";
pub const KEY: &str = "worker.key";

/// Seconds after which a worker that still runs has started.
const SETTLED: u32 = 2;

/// A word as the shell reads it.
pub fn quoted(word: &str) -> String {
    format!("'{}'", word.replace('\'', r"'\''"))
}

/// Goes to the folder of the worker, made for its owner alone, and defines `running`: whether its process is there, and is no other
/// that has got its number since.
fn preamble(host: &Host) -> String {
    format!(
        "set -u; umask 077; mkdir -p -- {folder} && cd -- {folder} || exit 1
[ -O . ] && chmod 700 . || {{ echo 'the folder of the worker is not its own' >&2; exit 1; }}
running() {{
  process=$(cat worker.pid 2>/dev/null) && [ -n \"$process\" ] && kill -0 \"$process\" 2>/dev/null &&
    tr '\\0' ' ' < \"/proc/$process/cmdline\" 2>/dev/null | grep -q 'antichain worker'
}}
",
        folder = quoted(&host.folder)
    )
}

/// Whether one runs; if not, whether the program is there.
pub fn look(host: &Host, version: &str) -> String {
    preamble(host)
        + &format!(
            "if running; then echo \"running $process\"; exit 0; fi
if [ -x antichain ] && [ \"$(./antichain --version 2>/dev/null)\" = {} ]; then echo same; else echo other; fi
",
            quoted(&format!("antichain {version}"))
        )
}

/// Takes the program from standard input.
pub fn receive_program(host: &Host) -> String {
    preamble(host)
        + "rm -f antichain.part && cat > antichain.part && chmod 700 antichain.part && mv -f antichain.part antichain && echo there\n"
}

/// Takes a file from standard input that nobody else may read.
pub fn receive_secret(host: &Host, name: &str) -> String {
    preamble(host) + &format!("rm -f {name}.part && cat > {name}.part && mv -f {name}.part {name} && echo there\n")
}

/// Starts a worker, and sees whether it stays.
pub fn start(host: &Host, target: &Target, options: &[String]) -> String {
    let mut words: Vec<String> = ["worker", "--coordinator"].map(str::to_owned).to_vec();
    words.push(target.url.to_string());
    words.extend(["--data", "data"].map(str::to_owned));
    let mut file = |option: &str, name: &str| words.extend([option.to_owned(), name.to_owned()]);
    if target.token.is_some() {
        file("--token-file", TOKEN);
    }
    if target.tls_ca.is_some() {
        file("--tls-ca", AUTHORITY);
    }
    if target.identity.is_some() {
        file("--tls-cert", CERTIFICATE);
        file("--tls-key", KEY);
    }
    words.extend(host.options.iter().chain(options).cloned());
    let words: Vec<String> = words.iter().map(|word| quoted(word)).collect();
    preamble(host)
        + &format!(
            "if (set -C; echo $$ > starting) 2>/dev/null; then :
elif kill -0 \"$(cat starting)\" 2>/dev/null; then echo 'ended another launch starts one at this moment'; exit 0
else echo $$ > starting; fi
trap 'rm -f starting' EXIT
if running; then echo \"running $process\"; exit 0; fi
nohup ./antichain {} > worker.log 2>&1 < /dev/null &
echo $! > worker.pid
sleep {SETTLED}
if running; then echo \"started $process\"; else echo \"ended $(tail -n 2 worker.log | tr '\\n' ' ')\"; fi
",
            words.join(" ")
        )
}

/// Whether one runs.
pub fn list(host: &Host) -> String {
    preamble(host) + "if running; then echo \"running $process\"; else echo stopped; fi\n"
}

/// Tells it to end, and waits. What is secret is taken away with it.
pub fn stop(host: &Host, seconds: u64) -> String {
    preamble(host)
        + &format!(
            "if running; then
  kill -TERM \"$process\"
  left={seconds}
  while running && [ \"$left\" -gt 0 ]; do sleep 1; left=$((left - 1)); done
  if running; then echo \"stubborn $process\"; exit 0; fi
fi
rm -f worker.pid {secrets}; echo stopped
",
            secrets = [TOKEN, AUTHORITY, CERTIFICATE, KEY].join(" ")
        )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_word_gets_out_of_its_quotes() {
        assert_eq!(quoted("a b; rm"), "'a b; rm'");
        assert_eq!(quoted("it's"), r"'it'\''s'");
        let output = std::process::Command::new("sh")
            .args(["-c", &format!("printf %s {}", quoted("$(date) `x` 'y' \\ \" \n"))])
            .output()
            .expect("a shell");
        assert_eq!(output.stdout, b"$(date) `x` 'y' \\ \" \n");
    }
}
