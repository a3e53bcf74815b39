//! What is recorded of a process of a scene.

/// The recording of a process of a scene.
#[derive(Debug)]
#[non_exhaustive]
pub struct Recording {
    /// The name of the scene, with a number if it has several parts.
    pub name: String,
    /// The protocol of the process: `exec` or `app-server`.
    pub protocol: &'static str,
    /// The arguments of the program.
    pub args: Vec<String>,
    /// Standard output of `codex exec`, or a transcript of both sides.
    pub bytes: Vec<u8>,
    /// The exit code; none if a signal ended the process.
    pub exit_code: Option<i32>,
    /// The number of the signal that the process was to be sent.
    pub signal: Option<i32>,
    /// Why the recording is not as the scene describes it, if so.
    pub complaint: Option<String>,
}
