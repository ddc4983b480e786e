import Testing

/// Tests of the built command against real peers: nginx as the origin; ffmpeg, mpv and curl as players.
///
/// They load the machine and measure, so they run one after the other. They use the debug build beside them, or the
/// program `MEDIACACHE_BINARY` names.
@Suite(.serialized)
enum AcceptanceTests {}
