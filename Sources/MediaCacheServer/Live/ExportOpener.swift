import Foundation
import MediaCache
import MediaCacheAPI
import MediaLibrary

/// The opener of a programme's export.
struct ExportOpener: ReaderOpener {
    let live: LiveChannel
    let recordings: Recordings
    let programme: String
    let format: ProgrammeFormat

    var name: String { "the programme \(programme) of \(live.name) as \(format.rawValue)" }

    func reader(_ range: RequestedRange) async throws -> any ByteReader {
        guard let programme = await live.recording.programme(programme) else {
            throw Problem.notFound("the channel \(live.name) has no programme \(programme)")
        }
        guard let export = programme[format] else {
            throw Problem.notFound(
                "\(name): export not requested; POST \(ChannelsRoute.path)/\(live.name)/programmes/\(programme.id)"
                    + "/exports/\(format.rawValue) requests it")
        }
        guard case .done = export.state else {
            throw Problem.notFound("\(name): \(Self.description(of: export.state))")
        }
        if format == .hls {
            let text = try await live.recording.entry(of: programme)
            return try MemoryReader(playlist: Array(text.utf8), name: name)
        }
        guard let file = try await recordings.file(of: programme, as: format) else {
            throw Problem.notFound("\(name): its file is missing; restart the server to export it again")
        }
        let head = ResourceHead(
            length: file.length, contentType: Self.contentType(export), validator: Validator(), validatedAt: Date(),
            entityTag: "\"mc-\(export.version)\"")
        return try FileReader(file, head: head, range: range, name: name)
    }

    /// Returns the media type of an MP4 or 3GP file, with video or with audio only (RFC 4337, RFC 3839).
    private static func contentType(_ export: ProgrammeExport) -> String {
        (export.isAudioOnly ? "audio/" : "video/") + (export.format == .threeGP ? "3gpp" : "mp4")
    }

    private static func description(of state: ProgrammeExport.State) -> String {
        switch state {
        case .waiting: "the export is waiting for the end of the programme or for other exports"
        case .running(let progress): "the export is \(Int(progress * 100))% done"
        case .done: "the export is done"
        case .failed(let reason): "the export failed: \(reason)"
        case .cancelled: "the export was cancelled"
        }
    }
}
