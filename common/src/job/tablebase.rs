//! Tablebases: a finished game in one file, to be carried to another machine.
//!
//! A line of JSON, [`Header`], says what the file holds; the files of the bases and of the values follow as they are in a
//! data directory, one after the other; the BLAKE3 of all that, 32 bytes, ends it. FORMATS.md describes all of it.

use std::io::{Read, Write};

use serde::{Deserialize, Serialize};

use super::certificate::Certificate;
use super::conclude::{Found, commit_certificate};
use super::records::{JOB_FORMAT, bases_key, layer_document, space_owner};
use super::{JobError, JobId, JobSpec, Method, catalogue, method};
use crate::poset::Poset;
use crate::store::{BlockImage, Commit, Damage, ShardKey, Store, StoreError};

/// What a header calls this format.
const FORMAT: &str = "antichain tablebase";
/// Its version.
const VERSION: u32 = 1;
/// Bytes of a header, at most: that of B_7 has 2 MB.
const MOST_HEADER: u64 = 64 << 20;
/// Bytes of a file, at most: a shard has two million slots, unless one block is larger.
const MOST_FILE: u64 = 1 << 32;

/// The first line of a tablebase.
#[derive(Debug, Serialize, Deserialize)]
struct Header {
    format: String,
    version: u32,
    /// Lengths of the files in bytes: those of the bases, layer by layer, then those of the values in the order of the
    /// certificate's positions.
    files: Vec<u64>,
    certificate: Certificate,
}

/// Why a file is no tablebase that can be taken in.
#[derive(Debug, thiserror::Error)]
pub enum TablebaseError {
    /// It does not begin as one.
    #[error("this is no tablebase: {0}")]
    Header(String),
    /// It is of another version.
    #[error("this tablebase has version {0}, and this program reads version {VERSION}")]
    Version(u32),
    /// Some of its bytes are not what they were.
    #[error("the tablebase is damaged: {0}")]
    Damaged(String),
    /// The job is there already, with another result.
    #[error("{0} is finished here with another digest")]
    Different(JobId),
    /// It cannot be read or written.
    #[error(transparent)]
    Io(#[from] std::io::Error),
    /// The store failed, or there is no such job.
    #[error(transparent)]
    Job(#[from] JobError),
}

impl From<StoreError> for TablebaseError {
    fn from(error: StoreError) -> Self {
        match error.damaged_file() {
            Some(_) => Self::Damaged(error.to_string()),
            None => Self::Job(error.into()),
        }
    }
}

/// The files of a tablebase in their order, and of those of values the digests.
fn keys(certificate: &Certificate) -> Vec<(ShardKey, Option<&str>)> {
    let bases = certificate.base_layers.iter().flat_map(|layer| {
        (0..layer.shards.len()).map(|shard| (bases_key(&certificate.space, layer.size, shard), None))
    });
    let values = certificate.positions.iter().flat_map(|positions| &positions.layers).flat_map(|layer| {
        let key = |shard: usize| layer.side.key(&certificate.job, layer.layer, shard);
        layer.shards.iter().enumerate().map(move |(number, shard)| (key(number), Some(shard.digest.as_str())))
    });
    bases.chain(values).collect()
}

/// Writes the tablebase of a finished game.
///
/// # Errors
/// [`TablebaseError`]; what was written then is none.
pub fn export_table(store: &Store, job: &str, out: impl Write) -> Result<(), TablebaseError> {
    let certificate = catalogue::find(store, job)?;
    if certificate.positions.is_none() {
        return Err(JobError::NoGame(certificate.spec.question).into());
    }
    let mut files = Vec::new();
    for (key, _) in keys(&certificate) {
        let record = store.shard(&key)?.ok_or_else(|| JobError::NoTable(certificate.job.clone()))?;
        files.push(record.bytes);
    }
    let mut out = Hashing { inner: out, hasher: blake3::Hasher::new() };
    let header = Header { format: FORMAT.to_owned(), version: VERSION, files, certificate };
    serde_json::to_writer(&mut out, &header).map_err(std::io::Error::from)?;
    out.write_all(b"\n")?;
    for (key, _) in keys(&header.certificate) {
        out.write_all(&store.read_image(&key).map_err(JobError::from)?.bytes)?;
    }
    let digest = *out.hasher.finalize().as_bytes();
    out.inner.write_all(&digest)?;
    Ok(out.inner.flush()?)
}

/// Takes a tablebase in, and returns its job. Nothing is stored before all of it has been read and found right.
///
/// # Errors
/// [`TablebaseError`].
pub fn import_table(store: &Store, input: impl Read) -> Result<JobId, TablebaseError> {
    let mut input = Hashing { inner: input, hasher: blake3::Hasher::new() };
    let Header { files, certificate, .. } = read_header(&mut input)?;
    let job = certificate.job.clone();
    if let Some(there) = Certificate::load(store, &job)?.filter(|there| there.format == JOB_FORMAT)
        && there.digest != certificate.digest
    {
        return Err(TablebaseError::Different(job));
    }
    let keys = keys(&certificate);
    if keys.len() != files.len() {
        return Err(TablebaseError::Header("it does not hold the files of its certificate".to_owned()));
    }
    let mut commit = Commit::new();
    for ((key, digest), &length) in keys.into_iter().zip(&files) {
        if length > MOST_FILE {
            return Err(TablebaseError::Header(format!("{key} has {length} bytes")));
        }
        let mut bytes = Vec::new();
        (&mut input).take(length).read_to_end(&mut bytes)?;
        let image = BlockImage::parse(bytes).map_err(|what| damaged(&key, what))?;
        let counted = digest.is_some() || image.head.count() == bases_of(&certificate, &key);
        let found = super::table::hex(&image.head.payload_digest());
        if !counted || digest.is_some_and(|digest| digest != found) {
            return Err(TablebaseError::Damaged(format!("{key} is not what its certificate says")));
        }
        let written = store.write_image(&key, &image)?;
        commit.put_shard(key, written.record());
    }
    let expected = *input.hasher.finalize().as_bytes();
    let mut found = [0; 32];
    input.inner.read_exact(&mut found)?;
    if found != expected || input.inner.read(&mut [0])? != 0 {
        return Err(TablebaseError::Damaged("it does not end with the digest of what is before".to_owned()));
    }
    for layer in &certificate.base_layers {
        commit.put_document(&certificate.space, &layer_document(layer.size), layer)?;
    }
    commit_certificate(store, &certificate, true, &mut commit)?;
    store.commit(commit)?;
    Ok(job)
}

/// The number of bases that a certificate says a shard has.
fn bases_of(certificate: &Certificate, key: &ShardKey) -> u64 {
    let layer = certificate.base_layers.get(usize::from(key.layer));
    layer.and_then(|layer| layer.shards.get(key.shard as usize)).copied().unwrap_or_default()
}

fn damaged(key: &ShardKey, what: Damage) -> TablebaseError {
    TablebaseError::Damaged(format!("{key}: {what}"))
}

/// Reads the first line, and checks that it is about a game and agrees with itself.
fn read_header(input: &mut impl Read) -> Result<Header, TablebaseError> {
    let mut line = Vec::new();
    let mut byte = [0];
    // The reader is buffered, and files must not lose what follows the line.
    loop {
        if line.len() as u64 == MOST_HEADER || input.read(&mut byte)? == 0 {
            return Err(TablebaseError::Header("its first line does not end".to_owned()));
        }
        if byte == *b"\n" {
            break;
        }
        line.push(byte[0]);
        if line.len() == 1 && line != *b"{" {
            return Err(TablebaseError::Header("it does not begin with a header".to_owned()));
        }
    }
    #[derive(Deserialize)]
    struct Start {
        format: String,
        version: u32,
    }
    let wrong = |error: serde_json::Error| TablebaseError::Header(error.to_string());
    let start: Start = serde_json::from_slice(&line).map_err(wrong)?;
    if start.format != FORMAT {
        return Err(TablebaseError::Header(format!("it calls itself `{}`", start.format)));
    }
    if start.version != VERSION {
        return Err(TablebaseError::Version(start.version));
    }
    let header: Header = serde_json::from_slice(&line).map_err(wrong)?;
    match is_sound(&header.certificate) {
        true => Ok(header),
        false => Err(TablebaseError::Header("its certificate does not agree with itself".to_owned())),
    }
}

/// Whether a certificate is what this program would write of a game with these layers and positions.
fn is_sound(certificate: &Certificate) -> bool {
    let Certificate { spec, method: visited, positions, base_layers, .. } = certificate;
    let (Ok(poset), Some(there)) = (spec.poset.parse::<Poset>(), positions) else { return false };
    let base = match visited {
        Method::Plain { .. } => poset.len(),
        Method::Halves { .. } => poset.len() / 2,
    };
    let top = visited.top();
    let layers_fit = there.layers.iter().all(|layer| {
        base_layers
            .get(layer.layer)
            .is_some_and(|bases| (bases.slots, bases.shards.len()) == (layer.slots, layer.shards.len()))
    });
    let bases_fit = base_layers.iter().enumerate().all(|(size, layer)| {
        (layer.size, layer.top) == (size, top) && layer.counts.iter().all(|count| count.size <= top)
    });
    let question_fits = spec.question.is_game()
        && *spec == JobSpec::new(spec.question, &poset, spec.limits)
        && *visited == method(spec.question, &poset, spec.limits);
    if !question_fits || !layers_fit || !bases_fit {
        return false;
    }
    let value = certificate.value.as_ref().map_or(Some(0), |value| u8::try_from(value).ok());
    let Some(value) = value else { return false };
    let found = Found {
        poset: &poset,
        spec,
        method: *visited,
        space: &space_owner(&spec.poset, base),
        layers: base_layers.iter().collect(),
        values: None,
        positions: Some((value, there.clone())),
    };
    found.certificate().is_ok_and(|expected| {
        let software = certificate.software.clone();
        *certificate == Certificate { software, ..expected }
    })
}

/// Hashes what passes.
struct Hashing<T> {
    inner: T,
    hasher: blake3::Hasher,
}

impl<T: Write> Write for Hashing<T> {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        let written = self.inner.write(bytes)?;
        self.hasher.update(&bytes[..written]);
        Ok(written)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        self.inner.flush()
    }
}

impl<T: Read> Read for Hashing<T> {
    fn read(&mut self, bytes: &mut [u8]) -> std::io::Result<usize> {
        let read = self.inner.read(bytes)?;
        self.hasher.update(&bytes[..read]);
        Ok(read)
    }
}
