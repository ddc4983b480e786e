import Testing

/// Tests of the built command with real programs: nginx as the origin; ffmpeg, mpv and curl as players.
///
/// They run serially, because they load the machine. They use the debug build in the folder of the test bundle, or the
/// program named by `MEDIACACHE_BINARY`.
@Suite(.serialized)
enum AcceptanceTests {}
