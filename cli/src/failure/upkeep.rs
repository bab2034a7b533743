//! Failures about secrets and certificates.

use antichain_proto::secret::SecretError;

use super::{Exit, FAULT_OF_PROGRAM, Failure};
use crate::authority::AuthorityError;
use crate::command::{CertsError, LaunchError};
use crate::launch::HostsError;

impl Failure {
    /// A token or a key cannot be used.
    pub(super) fn of_secret(error: &SecretError) -> Self {
        let file = error.file().display().to_string();
        let hint = match error {
            SecretError::Open { .. } => {
                format!("what it holds may be known to others: make a new one, or `chmod 600 {file}`")
            }
            SecretError::Read { .. } => "name a file that can be read".to_owned(),
        };
        Self::bad_input(file, error).hint(hint)
    }

    /// Certificates cannot be made.
    pub(super) fn of_certs(error: &CertsError) -> Self {
        match error {
            CertsError::Made { folder } => Self::bad_input(folder.display().to_string(), error)
                .hint("with --renew it makes new certificates; or name another folder with --out"),
            CertsError::NotMade { folder } => Self::bad_input(folder.display().to_string(), error)
                .hint("leave --renew out to make one, or name its folder with --out"),
            CertsError::Shared { folder, .. } => Self::bad_input(folder.display().to_string(), error)
                .hint("`chmod 700` it, or name another folder with --out"),
            CertsError::Write { file, .. } => Self::failed(error)
                .about(file.display().to_string())
                .hint("name a folder with --out that you may write"),
            CertsError::Authority(AuthorityError::Host(host)) => {
                Self::bad_input(host, error).hint("give a name such as cluster.example, or an address, without a port")
            }
            CertsError::Authority(AuthorityError::Unfit(_)) => Self { exit: Exit::BadInput, ..Self::failed(error) }
                .hint("name a folder that `antichain certs` has made"),
            CertsError::Authority(AuthorityError::Failed(_)) => Self::failed(error).hint(FAULT_OF_PROGRAM),
        }
    }

    /// Workers cannot be launched.
    pub(super) fn of_launch(error: &LaunchError) -> Self {
        match error {
            LaunchError::Hosts(HostsError::Line { word, .. }) => {
                Self::bad_input(word, error).hint("a host a line, such as: me@node1 threads=8 memory=16GiB")
            }
            LaunchError::Hosts(HostsError::Read { file, .. } | HostsError::Empty { file }) => {
                Self::bad_input(file.display().to_string(), error).hint("name a file with a host on each line")
            }
            LaunchError::Loopback(url) => Self::bad_input(url, error).hint(
                "let it listen with --listen, a certificate and tokens (`antichain certs`), and name it with --coordinator; \
                 with tunnels to it, give --loopback",
            ),
            LaunchError::OwnersToken => Self::bad_input("--token-file", error).hint(
                "name a worker's token with --token-file (`antichain certs` makes one; the coordinator takes it with --worker-token-file)",
            ),
            LaunchError::Failed { .. } => {
                Self::failed(error).hint("see that `ssh HOST true` asks nothing; worker.log there says more")
            }
        }
    }
}
