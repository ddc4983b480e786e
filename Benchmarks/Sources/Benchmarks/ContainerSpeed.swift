import Foundation
import MediaContainers

/// The benchmarks of containers with a recording of about 400 MB: remuxing against ffmpeg and moving the index against
/// qt-faststart, both as whole processes, and reading in this process.
struct ContainerSpeed: Benchmark {
    let options: Options
    let report: Report

    func run() async throws {
        guard try Peer.isInstalled("ffmpeg", "qt-faststart") else {
            return report.say("\nContainers skipped: ffmpeg or qt-faststart isn't installed.")
        }
        let folder = try TemporaryFolder("bench")
        let (recording, film) = (folder.file("recording.ts"), folder.file("film.mp4"))
        try await make(recording, film, in: folder)
        let output = folder.file("output.mp4")

        report.begin("Containers, whole processes (a ratio above 1: ours is faster)")
        try report.add(
            await Comparison.alternating(
                Comparison.rateAndCPU("remux TS to MP4, index first"), peer: "ffmpeg -c copy +faststart",
                rounds: options.rounds,
                ours: { try await measure(ours(["remux", recording, "-o", output]), of: recording, to: output) },
                theirs: {
                    let arguments = ["-v", "error", "-i", recording, "-c", "copy", "-movflags", "+faststart", output]
                    return try await measure(("ffmpeg", arguments), of: recording, to: output)
                }), goal: .ratio(atLeast: 1.5))
        guard !options.measuresOnlyGoals else { return }
        try report.add(
            await Comparison.alternating(
                Comparison.rateAndCPU("move the index of an MP4"), peer: "qt-faststart", rounds: options.rounds,
                ours: { try await measure(ours(["faststart", film, output]), of: film, to: output) },
                theirs: { try await measure(("qt-faststart", [film, output]), of: film, to: output) }))
        try await alone(recording, film, output)
    }

    /// Creates a transport stream, and an MP4 file with the same content and its index at the end.
    private func make(_ recording: String, _ film: String, in folder: TemporaryFolder) async throws {
        let clip = folder.file("clip.ts")
        try await Peer.run(
            "ffmpeg",
            ["-v", "error", "-f", "lavfi", "-i", "testsrc2=s=1280x720:r=25", "-f", "lavfi", "-i", "sine=440:r=48000"]
                + ["-t", "20", "-c:v", "libx264", "-preset", "ultrafast", "-b:v", "20M", "-minrate", "20M"]
                + ["-maxrate", "20M", "-bufsize", "20M", "-x264-params", "nal-hrd=cbr", "-pix_fmt", "yuv420p"]
                + ["-c:a", "aac", clip])
        try await Peer.run("ffmpeg", ["-v", "error", "-stream_loop", "7", "-i", clip, "-c", "copy", recording])
        try await Peer.run("ffmpeg", ["-v", "error", "-i", recording, "-c", "copy", film])
    }

    private func ours(_ arguments: [String]) -> (program: String, arguments: [String]) {
        (MediaCacheBinary.path, arguments + ["--quiet"])
    }

    private func measure(
        _ command: (program: String, arguments: [String]), of input: String, to output: String
    ) async throws -> [Double] {
        try await run(command, to: output).rateAndCPU(bytes: Int(megabytes(input) * 1e6))
    }

    private func run(
        _ command: (program: String, arguments: [String]), to output: String
    ) async throws -> ChildProcess {
        try? FileManager.default.removeItem(atPath: output)
        return try await ChildProcess.run(command.program, command.arguments)
    }

    private func megabytes(_ path: String) throws -> Double {
        Double(try FileManager.default.attributesOfItem(atPath: path)[.size] as? Int ?? 0) / 1e6
    }

    // MARK: - MediaCache only

    private func alone(_ recording: String, _ film: String, _ output: String) async throws {
        report.beginAlone("Containers, MediaCache only")
        var resident = Measurement("remux, peak resident memory", unit: "MB")
        var packets = Measurement("samples of a TS, in this process", unit: "MB/s")
        var samples = Measurement("samples of an MP4, in this process", unit: "MB/s")
        // Measured first, because on Linux a child's peak includes the resident memory of its parent at the fork.
        for _ in 0..<options.rounds {
            let child = try await run(ours(["remux", recording, "-o", output]), to: output)
            if let bytes = child.peakResidentBytes { resident.figures.append(Double(bytes) / 1e6) }
        }
        let transport = try Data(contentsOf: URL(fileURLWithPath: recording), options: .alwaysMapped)
        for _ in 0..<options.rounds {
            packets.figures.append(try megabytes(recording) / (try Stopwatch.seconds { try Self.demux(transport) }))
            let source = try FileSource(path: film)
            samples.figures.append(
                try megabytes(film)
                    / (try Stopwatch.seconds {
                        var sink = CountingSink()
                        try MP4Reader(source).deliver(to: &sink)
                        return sink.samples
                    }))
        }
        for measurement in [resident, packets, samples] where !measurement.figures.isEmpty {
            try report.add(measurement)
        }
    }

    private static func demux(_ bytes: Data) throws -> Int {
        var sink = CountingSink()
        let demuxer = TransportStreamDemuxer()
        try bytes.withUnsafeBytes { whole in
            for start in stride(from: 0, to: whole.count, by: 1 << 20) {
                let piece = whole[start..<min(start + 1 << 20, whole.count)]
                try demuxer.push(UnsafeRawBufferPointer(rebasing: piece), into: &sink)
            }
        }
        try demuxer.finish(into: &sink)
        return sink.samples
    }

    private struct CountingSink: SampleSink {
        var samples = 0

        mutating func tracks(_: [MediaTrack]) throws(ContainerError) {}

        mutating func sample(_: MediaSample, bytes _: UnsafeRawBufferPointer) throws(ContainerError) { samples += 1 }
    }
}
