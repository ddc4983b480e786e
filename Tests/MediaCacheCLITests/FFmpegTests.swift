#if os(Linux)
    import Foundation
    import MediaLibrary
    import Synchronization
    import TestSupport
    import Testing

    @testable import MediaCacheCLI

    @Suite(.enabled(if: try Prerequisite.isMet("ffmpeg", FFmpeg.isInstalled)), .timeLimit(.minutes(30)))
    struct FFmpegTests {
        /// Returns whether a process is running whose arguments contain a word.
        private func isRunning(_ word: String) throws -> Bool {
            try FileManager.default.contentsOfDirectory(atPath: "/proc").contains { name in
                guard Int(name) != nil, let line = FileManager.default.contents(atPath: "/proc/\(name)/cmdline") else {
                    return false
                }
                return line.firstRange(of: Data(word.utf8)) != nil
            }
        }

        @Test(arguments: [0, 1, 10, 1000, .max]) func cancellationEndsProcessAtAnyTime(turns: Int) async throws {
            let ffmpeg = try FFmpeg(for: "a test")
            let word = "title=\(UUID().uuidString)"
            let endless = ["-re", "-f", "lavfi", "-i", "anullsrc", "-metadata", word, "-f", "null", "-"]
            let work = Task { try await BlockingOperation.run { control in try ffmpeg.run(endless, control) } }
            for _ in 0..<min(turns, 1000) { await Task.yield() }
            if turns == .max {
                while try !isRunning(word) { await Task.yield() }
            }
            work.cancel()
            await #expect(throws: CancellationError.self) { try await work.value }
            #expect(try !isRunning(word))
        }

        @Test func returnsExitCode() async throws {
            let ffmpeg = try FFmpeg(for: "a test")
            let code = try await BlockingOperation.run { control in
                try ffmpeg.run(FFmpeg.input(.file("/no/such/film.mp4")) + ["-f", "null", "-"], control)
            }
            #expect(code != 0)
        }

        /// Writes a program that reports its start in a file, and exits with a code.
        private func program(in folder: TestFolder, exitCode: Int, reporting start: String) throws -> String {
            let (text, path) = (folder.file("text"), folder.file("program"))
            try "#!/bin/sh\n: > '\(start)'\nexit \(exitCode)\n".write(toFile: text, atomically: true, encoding: .utf8)
            try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: text)
            // Another process writes the program, because children that other tests start inherit this process's
            // descriptors until they run their own program, and a file that is open for writing can't be run.
            try Process.run(URL(fileURLWithPath: "/bin/cp"), arguments: [text, path]).waitUntilExit()
            return path
        }

        /// ffmpeg exits with 255 after a signal, but also if the system denies an operation.
        @Test func reportsExitCode255AsFailureUnlessCancelled() async throws {
            let folder = try TestFolder()
            let start = folder.file("start")
            let path = try program(in: folder, exitCode: 255, reporting: start)
            @Sendable func encode(cancellationTime: Duration) async throws {
                try await FFmpeg(path: path, cancellationTime: cancellationTime).encode(
                    path, as: .threeGP, to: path + ".3gp", outputName: "the programme", duration: 1
                ) { _ in }
            }
            let failure = await #expect(throws: CommandFailure.self) { try await encode(cancellationTime: .zero) }
            #expect(failure?.message.contains("255") == true)
            try FileManager.default.removeItem(atPath: start)
            let work = Task { try await encode(cancellationTime: .seconds(600)) }
            while !FileManager.default.fileExists(atPath: start) { await Task.yield() }
            work.cancel()
            await #expect(throws: CancellationError.self) { try await work.value }
        }

        /// Segments of a recording begin at late timestamps, and are decoded individually.
        @Test(arguments: [0.0, 1.5]) func decodesFrameOfSegmentWithLateStart(time: Double) async throws {
            let folder = try TestFolder()
            let ffmpeg = try FFmpeg(for: "a test")
            let segment = folder.file("5.ts")
            let source = "testsrc2=size=320x240:rate=25:duration=2"
            let made = try await BlockingOperation.run { control in
                try ffmpeg.run(["-f", "lavfi", "-i", source, "-output_ts_offset", "10", segment], control)
            }
            #expect(made == 0)
            let playlist = folder.file("one.m3u8")
            let text = "#EXTM3U\n#EXT-X-TARGETDURATION:2\n#EXTINF:2,\n5.ts\n#EXT-X-ENDLIST\n"
            try text.write(toFile: playlist, atomically: true, encoding: .utf8)
            let decoder = FrameDecoder(of: .file(playlist), gateway: nil, cacheFolder: nil)
            let cover = try await decoder.frame(at: time, of: "a segment")
            #expect(cover?.mediaType == "image/jpeg")
        }

        @Test func encodingReportsProgressAndErrors() async throws {
            let folder = try TestFolder()
            let ffmpeg = try FFmpeg(for: "a test")
            let film = folder.file("film.mp4")
            let source = "testsrc2=size=320x240:rate=25:duration=8"
            let made = try await BlockingOperation.run { control in
                try ffmpeg.run(["-f", "lavfi", "-i", source, film], control)
            }
            #expect(made == 0)
            let reported = Mutex<[Double]>([])
            let output = folder.file("film.3gp")
            try await FFmpegEncoder().encode(film, asThreeGP: output, duration: 8) { share in
                reported.withLock { $0.append(share) }
            }
            let shares = reported.withLock { $0 }
            #expect(shares == shares.sorted() && (shares.last ?? 0) > 0.9)
            #expect(FileManager.default.contents(atPath: output)?.dropFirst(4).prefix(4) == Data("ftyp".utf8))
            let failure = await #expect(throws: CommandFailure.self) {
                try await FFmpegEncoder().encode(film + ".none", asThreeGP: output, duration: 8) { _ in }
            }
            #expect(failure?.message.contains("couldn't encode the programme") == true)
        }
    }
#endif
