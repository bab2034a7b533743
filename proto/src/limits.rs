//! How much goes into a message and how much may be on its way: the same on both sides.

/// Bytes of a message, at most. Nothing comes near it: what is large is streamed.
pub const MESSAGE_BYTES: usize = 4 << 20;

/// Bytes of blocks in a message of a stream, about.
pub const CHUNK_BYTES: usize = 1 << 20;

/// Bytes of a frame, at most: with 16 KiB, the default, frames of large streams cost more than what is in them.
pub const FRAME_BYTES: u32 = 1 << 20;

/// Bytes on their way in a stream. Four times the speed of the defaults at a round trip of 50 ms.
pub const STREAM_WINDOW: u32 = 8 << 20;

/// Bytes on their way in a connection.
pub const CONNECTION_WINDOW: u32 = 16 << 20;
