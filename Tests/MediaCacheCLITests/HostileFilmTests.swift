#if os(Linux)
    import Foundation
    import MediaContainers
    import MediaLibrary
    import TestSupport
    import Testing

    @testable import MediaCacheCLI

    /// Tests of documents that try to make a decoder read from other servers and files.
    @Suite(.enabled(if: try Prerequisite.isMet("ffmpeg", FFmpeg.isInstalled)), .timeLimit(.minutes(30)))
    struct HostileFilmTests {
        /// A document that refers to another server or a local file.
        struct Document: CustomTestStringConvertible, Sendable {
            var kind: String
            /// Returns the document's text, which refers to a URL on another server or to a local file.
            var text: @Sendable (_ url: String, _ file: String) -> String

            var testDescription: String { kind }
        }

        static let documents: [Document] = [
            Document(kind: "DASH manifest") { url, _ in
                """
                <?xml version="1.0"?>
                <MPD xmlns="urn:mpeg:dash:schema:mpd:2011" type="static" mediaPresentationDuration="PT9S" \
                profiles="urn:mpeg:dash:profile:isoff-on-demand:2011"><Period><AdaptationSet contentType="video">\
                <Representation id="v" bandwidth="1000" width="64" height="64" mimeType="video/mp4" codecs="avc1.4D401E">\
                <BaseURL>\(url)</BaseURL><SegmentBase indexRange="0-99"><Initialization range="0-99"/></SegmentBase>\
                </Representation></AdaptationSet></Period></MPD>
                """
            },
            Document(kind: "DASH manifest with a file") { _, file in
                """
                <?xml version="1.0"?>
                <MPD xmlns="urn:mpeg:dash:schema:mpd:2011" type="static" mediaPresentationDuration="PT9S">\
                <Period><AdaptationSet contentType="video"><Representation id="v" bandwidth="1000" mimeType="video/mp4">\
                <BaseURL>file://\(file)</BaseURL></Representation></AdaptationSet></Period></MPD>
                """
            },
            Document(kind: "concat script") { url, _ in "ffconcat version 1.0\nfile '\(url)'\n" },
            Document(kind: "concat script with a file in its folder") { _, _ in
                "ffconcat version 1.0\nfile beside.mp4\n"
            },
            Document(kind: "concat script with a file") { _, file in "ffconcat version 1.0\nfile 'file:\(file)'\n" },
            Document(kind: "HLS playlist") { url, _ in
                "#EXTM3U\n#EXT-X-TARGETDURATION:9\n#EXTINF:9,\n\(url)\n#EXT-X-ENDLIST\n"
            },
            Document(kind: "HLS playlist with a key and a map at other URLs") { url, file in
                """
                #EXTM3U
                #EXT-X-TARGETDURATION:9
                #EXT-X-KEY:METHOD=AES-128,URI="\(url)"
                #EXT-X-MAP:URI="file://\(file)"
                #EXTINF:9,
                file://\(file)
                #EXT-X-ENDLIST

                """
            },
            Document(kind: "multivariant playlist") { url, _ in
                "#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=1000\n\(url)\n"
            },
            Document(kind: "SDP") { url, _ in
                let port = url.split(separator: ":").last?.prefix { $0 != "/" } ?? "9"
                return "v=0\no=- 0 0 IN IP4 127.0.0.1\ns=x\nc=IN IP4 127.0.0.1\nt=0 0\nm=video \(port) RTP/AVP 96\n"
                    + "a=rtpmap:96 H264/90000\n"
            },
            Document(kind: "ASS subtitles") { url, file in
                "[Script Info]\nScriptType: v4.00+\n[Events]\nFormat: Layer, Start, End, Text\n"
                    + "Dialogue: 0,0:00:00.00,0:00:09.00,{\\fnfile:\(file)}\(url)\n"
            },
            Document(kind: "SubRip subtitles") { url, file in
                "1\n00:00:00,000 --> 00:00:09,000\n<font face=\"\(file)\">\(url)</font>\n"
            },
            Document(kind: "MicroDVD subtitles") { url, file in "{0}{99}{f:\(file)}\(url)\n" },
            Document(kind: "RealText") { url, _ in "<window><time begin=\"0\"/><img src=\"\(url)\"/></window>" },
        ]

        /// The decoder contacts no other server and decodes no local file.
        @Test(arguments: documents)
        func doesNotFollowReferencesInDocuments(_ document: Document) async throws {
            let folder = try TestFolder()
            let secret = folder.file("secret.mp4")
            try await Self.makeFilm(secret)
            let bait = try BaitServer()
            defer { bait.stop() }
            let origin = try BaitServer()
            defer { origin.stop() }
            let film = try #require(FileManager.default.contents(atPath: secret))
            let text = document.text(bait.serve(Array(film), at: "/film.mp4"), secret)
            let served = try? await FFmpegFrames().frame(of: origin.serve(Array(text.utf8), at: "/film.mp4"), at: 0)
            #expect(served == nil, "the document was decoded to a picture")
            #expect(bait.connections == 0, "the decoder contacted another server")
            #expect(origin.paths == ["/film.mp4"], "the decoder requested a reference of the document")
        }

        /// ffmpeg doesn't recognize documents in a file or on standard input, contacts no server, and reads no other
        /// file.
        @Test(arguments: documents, [true, false])
        func ffmpegDoesNotRecognizeDocuments(_ document: Document, fromFile: Bool) async throws {
            let folder = try TestFolder()
            let beside = folder.file("beside.mp4")
            try await Self.makeFilm(beside)
            let bait = try BaitServer()
            defer { bait.stop() }
            let film = try #require(FileManager.default.contents(atPath: beside))
            let text = Array(document.text(bait.serve(Array(film), at: "/film.mp4"), beside).utf8)
            let path = folder.file("film.mp4")
            try Data(text).write(to: URL(filePath: path))
            let ffmpeg = try FFmpeg(for: "a test")
            let output = folder.file("output.nut")
            let code = try await BlockingOperation.run { control in
                try ffmpeg.run(
                    FFmpeg.input(fromFile ? .file(path) : .standardInput)
                        + ["-map", "0", "-c", "copy", "-t", "1", "file:\(output)"],
                    control, in: folder.path,
                    feeding: fromFile ? nil : MediaByteReader(MemorySource(text)))
            }
            #expect(code != 0, "ffmpeg recognized the document")
            #expect(bait.connections == 0, "ffmpeg contacted another server")
            let written = FileManager.default.contents(atPath: output) ?? Data()
            #expect(written.isEmpty, "ffmpeg read another file")
        }

        @Test func doesNotExpandNamePatterns() async throws {
            let folder = try TestFolder()
            let path = folder.file("picture.png")
            try await Self.run(["-f", "lavfi", "-i", "testsrc2=size=64x64", "-frames:v", "1", path])
            let picture = try #require(FileManager.default.contents(atPath: path))
            let origin = try BaitServer()
            defer { origin.stop() }
            for index in 0...3 { _ = origin.serve(Array(picture), at: "/picture\(index).png") }
            let served = try? await FFmpegFrames().frame(of: origin.url("/picture%d.png"), at: 0)
            #expect(served == nil)
        }

        @Test func decodesFramesOfFilms() async throws {
            let folder = try TestFolder()
            for name in ["film.mp4", "film.ts", "film.mkv", "film.avi"] {
                let path = folder.file(name)
                try await Self.makeFilm(path)
                let origin = try BaitServer()
                defer { origin.stop() }
                let film = try #require(FileManager.default.contents(atPath: path))
                let cover = try await FFmpegFrames().frame(of: origin.serve(Array(film), at: "/film"), at: 1)
                #expect(cover?.mediaType == "image/jpeg", "\(name)")
            }
        }

        static func makeFilm(_ path: String) async throws {
            try await run(["-f", "lavfi", "-i", "testsrc2=size=64x64:rate=10:duration=2", "-g", "10", path])
        }

        /// Runs ffmpeg without confinement to create the files of a test.
        static func run(_ arguments: [String]) async throws {
            let ffmpeg = try #require(InstalledProgram.path(of: "ffmpeg"))
            let child = try ChildProcess.start(ffmpeg, ["-v", "error", "-nostdin", "-y"] + arguments)
            #expect(try await child.wait() == 0)
        }
    }
#endif
