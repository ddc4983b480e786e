import Foundation
import HLS
import HTTPTypes
import MediaCache
import MediaCacheAPI
import MediaLibrary
import Testing

@testable import MediaCacheServer

struct PlaylistRewriterTests {
    private let profiles = HeaderProfileStore(base: TransferSettings())

    private func rewritten(
        _ text: String, from path: String = "/play/K/https/cdn.example/a/b/index.m3u8?token=1",
        location: String? = nil, peer: AddressKind = .local, publicPath: String = ""
    ) throws -> String {
        String(
            decoding: try rewritten(
                Array(text.utf8), from: path, location: location, peer: peer, publicPath: publicPath),
            as: UTF8.self)
    }

    private func rewritten(
        _ bytes: [UInt8], from path: String, location: String? = nil, peer: AddressKind = .local,
        publicPath: String = ""
    ) throws -> [UInt8] {
        let target = try PlayTarget(path)
        guard case .playlist(let kind) = BodyKind(of: bytes) else {
            Issue.record("no playlist")
            return []
        }
        let head = ResourceHead(
            length: nil, contentType: "application/vnd.apple.mpegurl", validator: Validator(),
            validatedAt: .distantPast, entityTag: "\"1\"", location: try location.map { try ResourceURL($0) },
            peer: peer)
        let playlist = LoadedPlaylist(
            bytes: bytes, head: head, url: target.url, kind: kind, scope: target.options.scope)
        return try rewriter(playlist, target, publicPath).rewritten(importing: target.options.variables)
    }

    private func rewriter(_ playlist: LoadedPlaylist, _ target: PlayTarget, _ publicPath: String) -> PlaylistRewriter {
        PlaylistRewriter(
            playlist: playlist, target: target, publicPath: publicPath, profiles: profiles,
            variableCache: PlaylistVariableCache(), signature: { "S\($0.url.path.count)" })
    }

    /// Returns the rewritten line of a segment.
    private func line(
        _ reference: String, from path: String = "/play/K/https/cdn.example/a/b/index.m3u8?token=1",
        location: String? = nil, peer: AddressKind = .local, publicPath: String = ""
    ) throws -> String {
        let text = try rewritten(
            "#EXTM3U\n#EXTINF:6,\n\(reference)\n", from: path, location: location, peer: peer, publicPath: publicPath)
        return String(text.split(separator: "\n")[2])
    }

    @Test(arguments: [
        ("https://other.example/x/1.ts?a=b", "/play/K/https/other.example/x/1.ts?a=b"),
        ("HTTP://Other.Example:8080/1.ts", "/play/K/http/other.example:8080/1.ts"),
        ("http://[2001:db8::1]:81/1.ts", "/play/K/http/%5B2001:db8::1%5D:81/1.ts"),
        ("//other.example/1.ts", "/play/K/https/other.example/1.ts"),
        ("/x/1.ts", "/play/K/https/cdn.example/x/1.ts"),
        ("/x/../1.ts", "/play/K/https/cdn.example/1.ts"),
        // These already resolve to the server.
        ("1.ts", "1.ts"), ("./1.ts", "./1.ts"), ("../1.ts", "../1.ts"), ("../../1.ts", "../../1.ts"),
        ("x/../../1.ts?q", "x/../../1.ts?q"), ("?part=2", "?part=2"),
        // These lead above the origin's root.
        ("../../../1.ts", "/play/K/https/cdn.example/1.ts"),
        ("../../../../../../1.ts", "/play/K/https/cdn.example/1.ts"),
        ("x/../../../../1.ts", "/play/K/https/cdn.example/1.ts"),
        // Browsers normalize these, most of them to URLs of other hosts or to paths above the root.
        (#"\\other.example\1.ts"#, "/play/K/https/other.example/1.ts"),
        (#"/\other.example/1.ts"#, "/play/K/https/other.example/1.ts"),
        ("///other.example/1.ts", "/play/K/https/other.example/1.ts"),
        ("https:///other.example/1.ts", "/play/K/https/other.example/1.ts"),
        (#"http://other.example\1.ts"#, "/play/K/http/other.example/1.ts"),
        ("http:other.example/1.ts", "/play/K/http/other.example/1.ts"),
        ("ht\ttp://other.example/1.ts", "/play/K/http/other.example/1.ts"),
        ("\u{1}http://other.example/1.ts", "/play/K/http/other.example/1.ts"),
        ("/\t/other.example/1.ts", "/play/K/https/other.example/1.ts"),
        ("%2e%2e/%2e%2e/%2e%2e/%2e%2e/1.ts", "/play/K/https/cdn.example/1.ts"),
        ("/%2e%2E/.%2e/%2e./1.ts", "/play/K/https/cdn.example/1.ts"),
        (#"..\..\..\..\1.ts"#, "/play/K/https/cdn.example/1.ts"),
        (#"x\1.ts"#, "/play/K/https/cdn.example/a/b/x/1.ts"),
        (".\t./.\t./.\t./1.ts", "/play/K/https/cdn.example/1.ts"),
        // These have no valid authority, and the server refuses the result.
        ("http://other.example:99999/1.ts", "/play/K/http//"), ("//[/1.ts", "/play/K/http//"),
        (#"\\"#, "/play/K/http//"),
        // A player would fetch these without the server. A playlist in a data URL can reference any host.
        ("data:video/mp2t;base64,AA", "/play/K/http//"),
        ("ftp://other.example/1.ts", "/play/K/http//"), ("skd://1", "/play/K/http//"),
    ])
    func rewritesReferences(_ reference: String, _ expected: String) throws {
        #expect(try line(reference) == expected)
    }

    @Test func rewritesRelativeReferencesAfterRedirect() throws {
        let line = try line("1.ts?x", location: "https://edge.example/deep/er/index.m3u8")
        #expect(line == "/play/K/https/edge.example/deep/er/1.ts?x")
    }

    @Test func passesCachedOnlyToReferences() throws {
        let path = "/play/K;cached=1/https/cdn.example/a/b/index.m3u8"
        #expect(try line("https://other.example/1.ts", from: path) == "/play/K;cached=1/https/other.example/1.ts")
        #expect(try line("/1.ts", from: path) == "/play/K;cached=1/https/cdn.example/1.ts")
    }

    @Test func addsPublicPath() throws {
        #expect(try line("/1.ts", publicPath: "/cache") == "/cache/play/K/https/cdn.example/1.ts")
        #expect(try line("1.ts", publicPath: "/cache") == "1.ts")
    }

    @Test func passesUserOnlyWithinOrigin() throws {
        let profile = "profile=\(ProfileIdentity(user: "me"))"
        let path = "/play/K;\(profile)/https/cdn.example/a/index.m3u8"
        #expect(try line("/1.ts", from: path) == "/play/K;\(profile)/https/cdn.example/1.ts")
        #expect(try line("https://cdn.example/1.ts", from: path) == "/play/K;\(profile)/https/cdn.example/1.ts")
        #expect(try line("//other.example/1.ts", from: path) == "/play/K/https/other.example/1.ts")
        #expect(try line("http://cdn.example/1.ts", from: path) == "/play/K/http/cdn.example/1.ts")
    }

    @Test(arguments: ["http://bob:secret@other.example/1.ts", "http://bob:secret@cdn.example/1.ts", "//bob:secret@h/x"])
    func usesUserInReference(_ reference: String) throws {
        let profile = "profile=\(ProfileIdentity(user: "bob"))"
        let sent = try line(reference, from: "/play/K;profile=\(ProfileIdentity(user: "me"))/https/cdn.example/a.m3u8")
        #expect(sent.hasPrefix("/play/K;\(profile)/http"))
        #expect(!sent.contains("secret") && !sent.contains("bob"))
        let target = try PlayTarget(sent)
        let fields = try #require(profiles.settings(for: target)?.headerProfiles[target.url]?.fields)
        #expect(fields[.authorization] == "Basic \(Data("bob:secret".utf8).base64EncodedString())")
    }

    @Test func keepsPasswordGivenByUser() throws {
        let path = try PlayTarget(line("http://bob:secret@other.example/1.ts"))
        func password() -> String? {
            profiles.settings(for: path)?.headerProfiles[path.url]?.fields[.authorization]
        }
        let given = Credentials(userInfo: "bob:given")
        profiles.remember(given, for: path.url)
        for number in 0..<1000 { _ = try line("http://bob\(number):x@other.example/1.ts") }
        _ = try line("http://bob:secret@other.example/1.ts")
        #expect(password() == given.authorization)
        profiles.remember(Credentials(userInfo: "bob:other"), for: path.url)
        #expect(password() == Credentials(userInfo: "bob:other").authorization)
    }

    @Test func marksEveryReferenceOfPublicPlaylist() throws {
        let elsewhere = try line("http://192.168.0.1/1.ts", peer: .global)
        #expect(elsewhere == "/play/K;net=public/http/192.168.0.1/1.ts")
        #expect(try PlayTarget(elsewhere).options.isPublicOnly)
        // Even the playlist's own host name may resolve to another address the next time.
        #expect(try line("/1.ts", peer: .global) == "/play/K;net=public/https/cdn.example/1.ts")
        #expect(try line("1.ts", peer: .global) == "/play/K;net=public/https/cdn.example/a/b/1.ts")
        #expect(try line("1.ts", peer: .unknown) == "/play/K;net=public/https/cdn.example/a/b/1.ts")
        // A relative path that isn't rewritten inherits the options in the play URL of its playlist.
        #expect(try line("1.ts", from: "/play/K;net=public/https/h/x.m3u8", peer: .global) == "1.ts")
        // References of the referenced playlist are also public.
        #expect(try line("/1.ts", from: "/play/K;net=public/http/h/x.m3u8") == "/play/K;net=public/http/h/1.ts")
    }

    /// A key may be embedded in the playlist or provided by a DRM system. All other references must lead to the server.
    @Test(arguments: ["data:text/plain;base64,AA==", "skd://k.example/1", "urn:uuid:1", "SKD://k"])
    func keepsNonHTTPReferencesOfKeysOnly(_ uri: String) throws {
        let key = "#EXT-X-KEY:METHOD=SAMPLE-AES,URI=\"\(uri)\""
        #expect(try rewritten("#EXTM3U\n\(key)\n#EXTINF:4,\n1.ts\n").contains(key))
        for line in [
            "#EXT-X-MAP:URI=\"\(uri)\"", "#EXT-X-PART:DURATION=1,URI=\"\(uri)\"", "#EXT-X-NEW:URI=\"\(uri)\"", uri,
        ] {
            let text = try rewritten("#EXTM3U\n#EXTINF:4,\n1.ts\n\(line)\n")
            #expect(!text.contains(uri) && text.contains("/play/K/http//"), "\(text)")
        }
        let streams = "#EXTM3U\n#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID=\"a\",NAME=\"a\",URI=\"\(uri)\"\n"
        #expect(!(try rewritten(streams + "#EXT-X-STREAM-INF:BANDWIDTH=1\n\(uri)\n").contains(uri)))
    }

    @Test(arguments: ["file:///etc/passwd", "ftp://h/k", "smb://h/k", "http://[/k"])
    func refusesKeysOfOtherProtocols(_ uri: String) throws {
        let text = try rewritten("#EXTM3U\n#EXT-X-KEY:METHOD=AES-128,URI=\"\(uri)\"\n#EXTINF:4,\n1.ts\n")
        #expect(text.contains("URI=\"/play/K/http//\""), "\(text)")
    }

    @Test func rewritesEveryTagWithURI() throws {
        let media = """
            #EXTM3U
            #EXT-X-TARGETDURATION:4
            #EXT-X-KEY:METHOD=AES-128,URI="https://k.example/1.key",IV=0x01
            #EXT-X-KEY:METHOD=SAMPLE-AES,URI="skd://k.example/1",KEYFORMAT="com.apple.streamingkeydelivery"
            #EXT-X-MAP:URI="/init.mp4",BYTERANGE="10@0"
            #EXT-X-PART:DURATION=1,URI="//p.example/1.1.mp4"
            #EXTINF:4,
            https://s.example/1.mp4
            #EXT-X-PRELOAD-HINT:TYPE=PART,URI="/1.2.mp4"
            #EXT-X-RENDITION-REPORT:URI="/low.m3u8",LAST-MSN=3
            #EXT-X-DATERANGE:ID="ad",CLASS="com.apple.hls.interstitial",START-DATE="2026-01-01T00:00:00Z",X-ASSET-URI="https://ad.example/ad.m3u8"

            """
        let expected = """
            #EXTM3U
            #EXT-X-TARGETDURATION:4
            #EXT-X-KEY:METHOD=AES-128,URI="/play/K/https/k.example/1.key",IV=0x01
            #EXT-X-KEY:METHOD=SAMPLE-AES,URI="skd://k.example/1",KEYFORMAT="com.apple.streamingkeydelivery"
            #EXT-X-MAP:URI="/play/K/https/cdn.example/init.mp4",BYTERANGE="10@0"
            #EXT-X-PART:DURATION=1,URI="/play/K/https/p.example/1.1.mp4"
            #EXTINF:4,
            /play/K/https/s.example/1.mp4
            #EXT-X-PRELOAD-HINT:TYPE=PART,URI="/play/K/https/cdn.example/1.2.mp4"
            #EXT-X-RENDITION-REPORT:URI="/play/K/https/cdn.example/low.m3u8",LAST-MSN=3
            #EXT-X-DATERANGE:ID="ad",CLASS="com.apple.hls.interstitial",START-DATE="2026-01-01T00:00:00Z",X-ASSET-URI="/play/K/https/ad.example/ad.m3u8"

            """
        #expect(try rewritten(media) == expected)
        let multivariant = """
            #EXTM3U
            #EXT-X-SESSION-KEY:METHOD=AES-128,URI="/1.key"
            #EXT-X-SESSION-DATA:DATA-ID="a",URI="/data.json"
            #EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="a",NAME="A",URI="/audio.m3u8"
            #EXT-X-I-FRAME-STREAM-INF:BANDWIDTH=1,URI="/iframes.m3u8"
            #EXT-X-STREAM-INF:BANDWIDTH=1,AUDIO="a"
            /video.m3u8

            """
        let names = ["1.key", "data.json", "audio.m3u8", "iframes.m3u8", "video.m3u8"]
        let other = names.reduce(multivariant) {
            $0.replacing("/\($1)", with: "/play/K/https/cdn.example/\($1)")
        }
        #expect(try rewritten(multivariant) == other)
    }

    @Test func preservesEverythingElse() throws {
        let bytes =
            Array("\u{FEFF}#EXTM3U\r\n#EXTINF:6,caf".utf8) + [0xE9]
            + Array("\r\n#X-OURS:a = b\r\n\r\n  1.ts  \r#EXT-X-ENDLIST".utf8)
        #expect(try rewritten(bytes, from: "/play/K/https/cdn.example/index.m3u8") == bytes)
    }

    /// Variables that fit into a single URL may be too long to be repeated in every URL of a long playlist.
    @Test func sharesVariableTokenBetweenReferences() throws {
        let head = "#EXTM3U\n#EXT-X-DEFINE:NAME=\"t\",VALUE=\"\(String(repeating: "z", count: 1400))\"\n"
        func playlist(_ count: Int) -> String {
            head + (0..<count).map { "#EXT-X-STREAM-INF:BANDWIDTH=1\n\($0).m3u8\n" }.joined()
        }
        #expect(try rewritten(playlist(5)).contains(";define="))
        let many = try rewritten(playlist(5000))
        #expect(many.contains(";defines="))
        #expect(many.utf8.count < 4 * playlist(5000).utf8.count)
    }

    /// Players match rendition reports with the URL from which they load the rendition.
    @Test func rewritesRenditionReportLikeMultivariantPlaylist() throws {
        let multivariant =
            "#EXTM3U\n#EXT-X-DEFINE:NAME=\"x\",VALUE=\"1\"\n"
            + "#EXT-X-STREAM-INF:BANDWIDTH=1\n/a.m3u8\n#EXT-X-STREAM-INF:BANDWIDTH=2\n/b.m3u8\n"
        let lines = try rewritten(multivariant).split(separator: "\n").filter { $0.hasPrefix("/play/") }
        let media = "#EXTM3U\n#EXTINF:6,\n1.ts\n#EXT-X-RENDITION-REPORT:URI=\"/b.m3u8\",LAST-MSN=1\n"
        #expect(try rewritten(media, from: String(lines[0])).contains("URI=\"\(lines[1])\""))
    }

    /// The player knows only the requested URL, which lacks the parameter.
    @Test func replacesQueryParameterAfterRedirect() throws {
        let text = "#EXTM3U\n#EXT-X-DEFINE:QUERYPARAM=\"tok\"\n#EXTINF:6,\n/x/{$tok}.ts\n#EXTINF:6,\nb.ts?t={$tok}\n"
        let sent = try rewritten(text, location: "https://cdn.example/d/m.m3u8?tok=77")
        #expect(sent.contains("#EXT-X-DEFINE:NAME=\"tok\",VALUE=\"77\"\n"))
        #expect(sent.contains("/play/K/https/cdn.example/x/77.ts\n"))
        #expect(sent.contains("/play/K/https/cdn.example/d/b.ts?t=77\n"))
        #expect(try rewritten(text, from: "/play/K/https/cdn.example/m.m3u8?tok=77").contains("QUERYPARAM=\"tok\""))
    }

    /// An origin's query may end like an option of play URLs.
    @Test(arguments: [
        "seg.ts?n=3&faststart=1", "seg.ts?faststart=1", "/x/seg.ts?faststart=1", "https://cdn.example/s.ts?faststart=1",
    ])
    func preservesQueryOfOrigin(_ reference: String) throws {
        let target = try PlayTarget(try line(reference))
        #expect(target.url == (try ResourceURL("https://cdn.example/a/b/index.m3u8").resolve(reference)))
        #expect(!target.options.fastStart)
        #expect(try PlayTarget("/play/K/https/cdn.example/film.mp4?faststart=1").options.fastStart)
    }

    @Test func substitutesVariablesInReferences() throws {
        let text = """
            #EXTM3U
            #EXT-X-DEFINE:NAME="host",VALUE="cdn2.example"
            #EXT-X-DEFINE:QUERYPARAM="token"
            #EXTINF:6,
            https://{$host}/1.ts?t={$token}
            #EXTINF:6,
            {$token}.ts

            """
        let lines = try rewritten(text).split(separator: "\n")
        #expect(lines[4] == "/play/K/https/cdn2.example/1.ts?t=1")
        #expect(lines[6] == "1.ts")
    }

    /// A player that has a value for the variable could otherwise contact another host.
    @Test func rewritesReferenceWithUndefinedVariable() throws {
        #expect(try line("{$x}/1.ts") == "/play/K/https/cdn.example/a/b/{$x}/1.ts")
        #expect(try line("1.ts?{$x}") == "/play/K/https/cdn.example/a/b/1.ts?{$x}")
    }

    @Test func passesVariablesToMediaPlaylists() throws {
        let multivariant = """
            #EXTM3U
            #EXT-X-DEFINE:NAME="auth",VALUE="a/b?c+d"
            #EXT-X-STREAM-INF:BANDWIDTH=1
            low/index.m3u8

            """
        let line = String(try rewritten(multivariant).split(separator: "\n")[3])
        #expect(line.hasSuffix("/https/cdn.example/a/b/low/index.m3u8"))
        #expect(try PlayTarget(line).options.variables == ["auth": "a/b?c+d"])
        let media = "#EXTM3U\n#EXT-X-DEFINE:IMPORT=\"auth\"\n#EXTINF:6,\n/x/{$auth}/1.ts\n"
        let segment = String(try rewritten(media, from: line).split(separator: "\n")[3])
        #expect(segment == "/play/K/https/cdn.example/x/a/b?c+d/1.ts")
    }

    @Test func rewritesJSONDocuments() throws {
        let text = """
            #EXTM3U
            #EXT-X-DATERANGE:ID="1",START-DATE="2026-01-01T00:00:00Z",X-ASSET-LIST="ads.json?x=1"
            #EXT-X-CONTENT-STEERING:SERVER-URI="/steer",PATHWAY-ID="A"

            """
        let lines = try rewritten(text).split(separator: "\n")
        let list = "/play/K;as=assets/https/cdn.example/a/b/ads.json?x=1"
        #expect(lines[1].hasSuffix("X-ASSET-LIST=\"\(list)\""))
        #expect(lines[2].contains("SERVER-URI=\"/play/K;as=steering/https/cdn.example/steer\""))
        #expect(try PlayTarget(list).options.document == .assets)
        let assets = #"{"ASSETS":[{"DURATION":5,"URI":"https://ad.example/1.m3u8"},{"URI":"2.m3u8"}],"X":1}"#
        let expected =
            #"{"ASSETS":[{"DURATION":5,"URI":"/play/K/https/ad.example/1.m3u8"},"#
            + #"{"URI":"/play/K/https/cdn.example/a/b/2.m3u8"}],"X":1}"#
        #expect(try document(assets, .assets, at: list) == expected)
        let manifest = #"{"VERSION":1,"RELOAD-URI":"/steer?2","PATHWAY-CLONES":[{"ID":"B"}],"PATHWAY-PRIORITY":["A"]}"#
        let steered =
            #"{"PATHWAY-PRIORITY":["A"],"RELOAD-URI":"/play/K;as=steering/https/cdn.example/steer?2","VERSION":1}"#
        #expect(try document(manifest, .steering, at: "/play/K;as=steering/https/cdn.example/steer") == steered)
        for text in ["not JSON", "[]", #"{"ASSETS":[1]}"#, "{}"] {
            #expect(throws: CacheError.self) { try document(text, .assets, at: list) }
        }
    }

    /// Whatever characters a player accepts as line endings, no line begins with a URL of another host.
    @Test(arguments: [
        "\0", "\r", "\u{1}", "\u{B}", "\u{C}", "\u{1C}", "\u{1D}", "\u{1E}", "\u{85}", "\u{2028}", "\u{2029}", "\u{7F}",
    ])
    func rewritesReferencesAfterUnusualLineEndings(_ end: String) throws {
        let url = "http://10.0.0.1/x.ts"
        let text = """
            #EXTM3U
            #EXTINF:4,\(end)\(url)
            a.ts
            # a comment\(end)\(url)
            #EXTINF:4,a title
            b.ts\(end)\(url)
            \(end)\(url)
            htt\(end)p://10.0.0.1/x.ts
            #EXT-X-KEY:METHOD=AES-128,URI="\(end)\(url)"
            #EXTINF:4,\(end)\(url)
            """
        let sent = try rewritten(text)
        let lines = sent.unicodeScalars.split { $0.value < 0x20 || [0x7F, 0x85, 0x2028, 0x2029].contains($0.value) }
        #expect(lines.count > 5)
        for line in lines.map({ String(Substring($0)) }) {
            #expect(!line.drop { $0 == " " }.hasPrefix("http:"), "\(sent.debugDescription)")
        }
        #expect(!sent.contains("URI=\"http:"))
    }

    @Test func refusesPlaylistThatBecomesTooLong() throws {
        let far = "https://cdn.example/\(String(repeating: "p", count: 16_000))/index.m3u8"
        let text = "#EXTM3U\n" + String(repeating: "a\n", count: 20_000)
        let error = #expect(throws: CacheError.self) { try rewritten(text, location: far) }
        #expect(error?.code == .badResponse)
        #expect(error?.message.contains("the rewritten playlist exceeds the limit of") == true)
    }

    @Test func refusesDocumentThatBecomesTooLong() throws {
        let assets = Array(repeating: #"{"URI":"a"}"#, count: 20_000).joined(separator: ",")
        let path = "/play/K;as=assets/https/cdn.example/\(String(repeating: "p", count: 16_000))/list.json"
        let error = #expect(throws: CacheError.self) { try document(#"{"ASSETS":[\#(assets)]}"#, .assets, at: path) }
        #expect(error?.code == .badResponse)
    }

    @Test func rewritesLongPlaylist() throws {
        let lines = (0..<100_000).map { "#EXTINF:6,\nhttps://cdn.example/a/b/segment-\($0).ts\n" }.joined()
        let sent = try rewritten("#EXTM3U\n\(lines)", location: "https://cdn.example/c/index.m3u8")
        #expect(sent.hasSuffix("/https/cdn.example/a/b/segment-99999.ts\n"))
    }

    private func document(_ text: String, _ kind: StreamDocument.Kind, at path: String) throws -> String {
        let target = try PlayTarget(path)
        let head = ResourceHead(
            length: nil, contentType: "application/json", validator: Validator(), validatedAt: .distantPast,
            entityTag: "\"1\"", peer: .local)
        let document = LoadedPlaylist(
            bytes: Array(text.utf8), head: head, url: target.url, kind: nil, scope: target.options.scope)
        return String(decoding: try rewriter(document, target, "").rewritten(as: kind), as: UTF8.self)
    }
}
