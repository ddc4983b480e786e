import Testing

/// Tests of the built command with real programs: nginx as the origin; ffmpeg, mpv, VLC, Chromium and curl as clients.
///
/// The tests run serially because they load the machine. They run the program at `MEDIACACHE_BINARY`, by default the
/// debug build next to the test bundle.
@Suite(.serialized)
enum AcceptanceTests {}

/// Tests of single commands with real programs. They occupy less than a core, so they run beside ``AcceptanceTests``, but
/// serially among themselves.
@Suite(.serialized)
enum CommandAcceptanceTests {}

/// Tests of the built command with live streams. They mostly wait for new segments, so they run beside
/// ``AcceptanceTests``, but serially among themselves.
@Suite(.serialized)
enum LiveAcceptanceTests {}
