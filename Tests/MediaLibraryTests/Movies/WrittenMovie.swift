import Foundation
import MediaContainers
import MediaLibrary

/// A movie in a temporary file, remuxed from a plan or written from bytes.
final class WrittenMovie {
    let path = FileManager.default.temporaryDirectory.appending(path: "\(UUID().uuidString).mp4").path

    init(_ plan: StreamPlan, _ resources: MemoryResources) throws {
        var remux = StreamRemux(plan, resources: resources)
        var writer = try remux.run(into: MovieFileWriter(FileSink(path: path)))
        _ = try writer.finish()
    }

    init(_ bytes: [UInt8]) throws { try Data(bytes).write(to: URL(filePath: path)) }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    static let ffprobe: String? = ["/usr/bin/ffprobe", "/usr/local/bin/ffprobe", "/opt/homebrew/bin/ffprobe"].first {
        FileManager.default.isExecutableFile(atPath: $0)
    }

    /// Returns the packets as reported by ffprobe, in the order of their tracks; empty on systems without processes.
    func packets() throws -> [String] {
        #if os(macOS) || os(Linux)
            let process = Process()
            process.executableURL = URL(filePath: Self.ffprobe ?? "")
            process.arguments = [
                "-v", "error", "-show_packets", "-show_data_hash", "CRC32", "-of", "compact", "-show_entries",
                "packet=stream_index,pts,dts,duration,size,flags,data_hash:packet_side_data=", path,
            ]
            let output = Pipe()
            process.standardOutput = output
            try process.run()
            let text = try output.fileHandleForReading.readToEnd() ?? Data()
            process.waitUntilExit()
            let lines = String(decoding: text, as: UTF8.self).split(separator: "\n").map(String.init)
            return Dictionary(grouping: lines) { $0.split(separator: "|").first { $0.hasPrefix("stream_index") } ?? "" }
                .sorted { $0.key < $1.key }.flatMap(\.value)
        #else
            return []
        #endif
    }

    func samples() throws -> MovieSampleList { try MovieSampleList(FileSource(path: path)) }
}

/// The samples of a movie by track, independent of their order in the file.
struct MovieSampleList: SampleSink, Equatable {
    struct Sample: Equatable {
        var pts: Int64
        var dts: Int64
        var size: Int
        var isSync: Bool
        var checksum: UInt32
    }

    var tracks: [[Sample]] = []

    init(_ file: some ByteSource) throws { try MP4Reader(file).deliver(to: &self) }

    mutating func tracks(_ tracks: [MediaTrack]) {
        self.tracks += [[Sample]](repeating: [], count: tracks.count - self.tracks.count)
    }

    mutating func sample(_ sample: MediaSample, bytes: UnsafeRawBufferPointer) {
        tracks[sample.track].append(
            Sample(
                pts: sample.pts, dts: sample.dts, size: sample.size, isSync: sample.isSync,
                checksum: CRC32.checksum(bytes)))
    }
}
