//! The calls of the service `Values`.

use antichain_common::job::certificate::Certificate;
use antichain_common::job::{JobSpec, Question};
use antichain_common::poset::Poset;
use antichain_proto::v1::{MovesReply, MovesRequest, PositionValue, QueryRequest, StoredJobRequest, VerifyReply};
use serde::Deserialize;

use super::job::on_the_wire;
use super::{Remote, RemoteError};

/// Bytes of a certificate, at most: that of the largest job so far is a few hundred thousand.
const CERTIFICATE_BYTES: usize = 256 << 20;

/// The request about a job that is stored.
fn about(job: &str) -> StoredJobRequest {
    StoredJobRequest { job: job.to_owned() }
}

impl Remote {
    /// The values of positions.
    ///
    /// # Errors
    /// See [`RemoteError`], here and in every call below.
    pub fn query(
        &self,
        spec: &JobSpec,
        positions: Vec<String>,
        canonical: bool,
    ) -> Result<Vec<PositionValue>, RemoteError> {
        let mut values = self.values();
        let asked = positions.len();
        let question = QueryRequest { spec: Some(on_the_wire(spec)), positions, canonical };
        let found = self.ask(None, question, |request| async move { values.query(request).await })?.values;
        if found.len() == asked { Ok(found) } else { Err(self.not_understood("a number of values")) }
    }

    /// The moves of a position of the game.
    pub fn moves(
        &self,
        poset: &Poset,
        position: String,
        question: Option<Question>,
    ) -> Result<MovesReply, RemoteError> {
        let mut values = self.values();
        let question = question.map(|question| question.name().to_owned());
        let asked = MovesRequest { poset: poset.name(), position, question };
        self.ask(None, asked, |request| async move { values.moves(request).await })
    }

    /// The certificate of a finished job, and the document that it was read from.
    pub fn certificate(&self, job: &str) -> Result<(Certificate, serde_json::Value), RemoteError> {
        let mut values = self.values();
        let request = about(job);
        let text = self.wait(Some(job), async move {
            let mut parts = values.certificate(request).await?.into_inner();
            let mut text = Vec::new();
            while let Some(part) = parts.message().await?
                && text.len() < CERTIFICATE_BYTES
            {
                text.extend_from_slice(&part.text);
            }
            Ok(text)
        })?;
        let document: serde_json::Value =
            serde_json::from_slice(&text).map_err(|_| self.not_understood("a certificate"))?;
        match Certificate::deserialize(&document) {
            Ok(certificate) => Ok((certificate, document)),
            Err(_) => Err(self.not_understood("a certificate")),
        }
    }

    /// Checks a finished job again and tells `each` check as soon as it is made.
    pub fn verify(&self, job: &str, mut each: impl FnMut(VerifyReply) -> anyhow::Result<()>) -> anyhow::Result<()> {
        let mut values = self.values();
        let request = about(job);
        let mut stream = self.wait(Some(job), async move { Ok(values.verify(request).await?.into_inner()) })?;
        while let Some(check) = self.wait(Some(job), stream.message())? {
            each(check)?;
        }
        Ok(())
    }
}
