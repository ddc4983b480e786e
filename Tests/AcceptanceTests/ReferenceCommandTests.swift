import Foundation
import Testing

extension CommandAcceptanceTests {
    /// Tests of commands whose argument is an ID or a title.
    @Suite(.enabled(if: try Peer.isInstalled("nginx")))
    struct ReferenceCommandTests {
        /// The title that commands derive from the name of a file.
        private static let title = String(Fixtures.moovLast.prefix { $0 != "." })

        /// Downloads a clip, and returns the options for its cache folder, its ID and its URL.
        private func download(
            _ folder: TemporaryFolder, _ origin: NginxOrigin
        ) async throws -> (options: [String], id: String, url: String) {
            let options = ["--cache", folder.path]
            let url = origin.url(Fixtures.moovLast).absoluteString
            try await MediaCacheBinary.output(["get", url] + options)
            let items: [[String: JSONText]] = try await MediaCacheBinary.decoded(["list", "--json"] + options)
            let item = try #require(items.first)
            #expect(item["title"]?.text == Self.title)
            return (options, try #require(item["id"]?.text), url)
        }

        @Test(arguments: [false, true])
        func commandsAcceptIDsAndTitles(owned: Bool) async throws {
            try await Fixtures.shared.clips()
            let origin = try await NginxOrigin(serving: Fixtures.folder)
            let (folder, output) = (try TemporaryFolder("cache"), try TemporaryFolder("output"))
            let (options, id, url) = try await download(folder, origin)
            let clip = "\(Fixtures.folder)/\(Fixtures.moovLast)"
            let server = owned ? try await RunningServer(cache: folder.path) : nil
            let before = try await origin.log()
            for (number, name) in [id, Self.title, Self.title.uppercased()].enumerated() {
                let info = try await MediaCacheBinary.object(["info", name, "--json"] + options)
                #expect(info["url"] as? String == url, "\(name)")
                let exported = output.file("\(number).mp4")
                try await MediaCacheBinary.output(["export", name, "-o", exported] + options)
                try await MediaCacheBinary.output(["inspect", name] + options)
                let copy = output.file("copy\(number).mp4")
                try await MediaCacheBinary.output(["faststart", name, copy] + options)
                #expect(
                    FileManager.default.fileExists(atPath: exported) && FileManager.default.fileExists(atPath: copy))
                let got = output.file("got\(number).mp4")
                try await MediaCacheBinary.output(["get", name, "-o", got] + options)
                #expect(FileManager.default.contentsEqual(atPath: got, andPath: clip))
            }
            if let server {
                let link = try await MediaCacheBinary.output(["url", Self.title] + options)
                #expect(link == "\(server.base.absoluteString)/library/\(id)/file.mp4")
                let connection = try HTTPConnection(to: try #require(URL(string: link)))
                #expect(try connection.request(try #require(URL(string: link))).status == 200)
                #expect(try connection.body() == FileManager.default.contents(atPath: clip))
            }
            let fetched = try await origin.log().since(before).bodyBytes
            #expect(fetched == 0, "commands on a download must not contact its origin")
            let removed = try await MediaCacheBinary.object(["remove", Self.title, "--json"] + options)
            #expect(removed["assets"] as? [String] == [Self.title])
            let gone = try await MediaCacheBinary.run(["info", Self.title] + options)
            #expect(gone.ending == .exit(1))
            #expect(gone.errorText == "mediacache: there is no item “\(Self.title)”; check its URL, ID or title\n")
            try await server?.stop()
        }

        /// Completion reads the catalog if no server is running, and offers played files too.
        @Test(arguments: [false, true])
        func completionOffersTitles(owned: Bool) async throws {
            try await Fixtures.shared.clips()
            let origin = try await NginxOrigin(serving: Fixtures.folder)
            let folder = try TemporaryFolder("cache")
            let (options, _, _) = try await download(folder, origin)
            var server: RunningServer? = try await RunningServer(cache: folder.path)
            let link = try await server?.play(origin.url(Fixtures.moovFirst))
            let connection = try HTTPConnection(to: try #require(link))
            _ = try connection.request(try #require(link))
            _ = try connection.body()
            if !owned {
                try await server?.stop()
                server = nil
            }
            let played = String(Fixtures.moovFirst.prefix { $0 != "." })
            let words = ["mediacache", "play", "", "--cache", folder.path]
            let text = try await MediaCacheBinary.output(
                ["---completion", "play", "--", "positional@0"] + ["2", "0"] + words)
            let names = Set(text.split(whereSeparator: \.isNewline).map(String.init))
            #expect(names.isSuperset(of: [Self.title, played]), "\(text)")
            withExtendedLifetime(options) {}
            try await server?.stop()
        }
    }
}

/// A JSON value, if it's a text.
private struct JSONText: Decodable {
    var text: String?

    init(from decoder: any Decoder) throws {
        text = try? decoder.singleValueContainer().decode(String.self)
    }
}
