import Foundation
import MediaCache
import MediaCacheAPI
import MediaCacheTesting
import Testing

@testable import MediaCacheServer
@testable import MediaLibrary

/// Tests of the access rule on each path to an origin, by target and by the document that refers to it.
struct AccessMatrixTests {
    /// A path by which a target is requested.
    enum Path: String, CaseIterable {
        case playSegment, playKey, playMap, playVariant, playAsset, playAhead
        case getSegment, getKey, getMap, getVariant, getRefreshed
        case recordSegment, recordKey, recordMap, recordVariant
        case probeVariant, preloadSegment, preloadVariant

        /// Whether the user can provide this path's target.
        var acceptsUserTarget: Bool {
            switch self {
            case .playSegment, .getSegment, .recordVariant, .probeVariant, .preloadSegment: true
            default: false
            }
        }

        var isVariant: Bool { rawValue.hasSuffix("Variant") }
    }

    enum Referrer: String, CaseIterable {
        case user, publicDocument, localDocument
    }

    enum Target: String, CaseIterable {
        case outside = "cdn.example"
        case loopback = "127.0.0.1"
        case shortLoopback = "127.1"
        case numberedLoopback = "2130706433"
        case octalLoopback = "0177.0.0.1"
        case hexadecimalLoopback = "0x7f.0.0.1"
        case dottedLoopback = "127.0.0.1."
        case loopbackName = "localhost"
        case loopback6 = "[::1]"
        case privateNetwork = "192.168.0.9"
        case linkLocal = "169.254.169.254"
        case linkLocal6 = "[fe80::1%25eth0]"
        case uniqueLocal6 = "[fd00::9]"
        case mapped = "[::ffff:10.0.0.9]"
        case translated = "[64:ff9b::10.0.0.9]"
        case locallyTranslated = "[64:ff9b:1::10.0.0.9]"
        case sixToFour = "[2002:7f00:1::1]"
        case teredo = "[2001:0:4136:e378:8000:63bf:3fff:fdd2]"
        case innerName = "inner.example"
        case innerTranslatedName = "inner6.example"
        case userInfo = "public.example@127.0.0.1"
        case userInfoWithPassword = "public.example:80@[::1]"
        case redirected = "redirect"
        case rebound = "rebinding.example"

        func isAllowed(by referrer: Referrer, isProxied: Bool) -> Bool {
            switch self {
            case .outside: true
            // A public host sends the redirect.
            case .redirected: false
            // Through a proxy, only the proxy resolves these names.
            case .innerName, .innerTranslatedName, .rebound: referrer != .publicDocument || isProxied
            default: referrer != .publicDocument
            }
        }
    }

    @Test(arguments: Path.allCases, [false, true])
    func contactsOnlyAllowedTargets(_ path: Path, isProxied: Bool) async throws {
        let fixture = try await AccessFixture(isProxied: isProxied)
        for referrer in Referrer.allCases where referrer != .user || path.acceptsUserTarget {
            for target in Target.allCases where target != .rebound || referrer == .publicDocument {
                let isContacted = try await fixture.follows(path, to: target, referencedBy: referrer)
                let isAllowed = target.isAllowed(by: referrer, isProxied: isProxied)
                #expect(
                    isContacted == isAllowed,
                    "\(path) to \(target.rawValue) referenced by \(referrer), proxied: \(isProxied)")
            }
        }
        await fixture.close()
    }
}

/// A store on a simulated network, with every component that sends requests to origins.
final class AccessFixture: StreamSourceSuite {
    let network: ModelNetwork
    let time = ManualTime()
    let playlist: ResourceURL
    private let folder = TestFolder()
    private let store: CacheStore
    private let loader: PlaylistLoader
    private let profiles: HeaderProfileStore
    private let source: StreamSource
    private let downloads: Downloads
    private let recordings: Recordings
    private var cell = 0

    var origin: ScriptedOrigin { network.scripted }

    init(isProxied: Bool) async throws {
        network = ModelNetwork(isProxied: isProxied)
        playlist = try ResourceURL("http://public.example/index.m3u8")
        var configuration = CacheConfiguration(location: CacheLocation(folder: folder.path))
        configuration.limits.minimumFreeBytes = 0
        configuration.transfers.retries = RetryPolicy(budget: 0)
        // The clock advances much faster than real time, and must not exceed these limits during slow I/O.
        configuration.transfers.limits.firstByte = .seconds(1_000_000)
        configuration.transfers.limits.stall = .seconds(1_000_000)
        store = try await CacheStore.open(configuration, origin: network, time: time, logger: .silent)
        loader = PlaylistLoader(store: store)
        let transfers = store.transfers
        profiles = HeaderProfileStore(base: transfers)
        source = StreamSource(
            store: store, profiles: profiles, loader: loader, publicPath: "", segmentsAhead: 2,
            signature: { _ in "" })
        let assetStore = AssetStore(of: store)
        downloads = Downloads(store: store, assetStore: assetStore, loader: loader)
        recordings = Recordings(store: store, assetStore: assetStore, loader: loader)
        try await downloads.start()
        try await recordings.start()
    }

    func close() async {
        await downloads.stop()
        await recordings.stop()
        await store.close()
    }

    /// Follows a path to a target of its own, and returns whether the target was contacted.
    func follows(
        _ path: AccessMatrixTests.Path, to target: AccessMatrixTests.Target,
        referencedBy referrer: AccessMatrixTests.Referrer
    ) async throws -> Bool {
        cell += 1
        let ending = path.isVariant ? "m3u8" : path.rawValue.hasSuffix("Key") ? "key" : "ts"
        let (named, final) = try serve(target, ending)
        // Each cell of the matrix has its own URLs, so that cells share neither cached bytes nor redirects and faults.
        let host = referrer == .localDocument ? "192.168.1.5" : target == .rebound ? target.rawValue : "public.example"
        let document = try ResourceURL("http://\(host)/d/\(cell)/index.m3u8")
        let start = referrer == .user ? try ResourceURL(named) : document
        serve(path, referencing: named, at: document)
        try await run(path, start, isUserProvided: referrer == .user)
        await wait { self.network.attempts.contains(final) }
        try #require(network.attempts.contains(final), "\(path) didn't request \(final), referenced by \(referrer)")
        return network.contacts.contains(final)
    }

    /// Serves a target. Returns the reference for documents, and the URL that must or mustn't be contacted.
    private func serve(_ target: AccessMatrixTests.Target, _ ending: String) throws -> (named: String, URL: ResourceURL)
    {
        let host = target == .redirected ? "10.0.0.9" : target.rawValue
        let url = try ResourceURL("http://\(host)/t/\(cell)/x.\(ending)").withoutUserInfo
        switch ending {
        case "m3u8":
            origin[url] = ScriptedResource(
                .text(Self.live(from: 0, "http://cdn.example/o/\(cell).ts") + "#EXT-X-ENDLIST\n"))
        case "key": origin[url] = ScriptedResource(.bytes(Array(repeating: 7, count: 16)))
        default: origin[url] = Self.packets
        }
        // Encrypted media consists of 16-byte blocks.
        let other = ending == "key" ? ScriptedResource(.bytes([UInt8](repeating: 0x99, count: 1888))) : Self.packets
        origin[try ResourceURL("http://cdn.example/o/\(cell).ts")] = other
        guard target == .redirected else { return ("http://\(target.rawValue)\(url.target)", url) }
        let first = try ResourceURL("http://cdn.example/r/\(cell)/x.\(ending)")
        origin.always(first, .redirect(to: url.description))
        return (first.description, url)
    }

    private static let packets = ScriptedResource(
        .bytes((0..<10).flatMap { _ in [0x47] + [UInt8](repeating: 1, count: 187) }), contentType: "video/mp2t")

    private func serve(_ path: AccessMatrixTests.Path, referencing target: String, at document: ResourceURL) {
        let other = "http://cdn.example/o/\(cell).ts"
        let isLive = path.rawValue.hasPrefix("record")
        func media(_ lines: String) -> String {
            "#EXTM3U\n#EXT-X-TARGETDURATION:6\n\(lines)\n" + (isLive ? "" : "#EXT-X-ENDLIST\n")
        }
        var text: String
        switch path {
        case .playSegment, .getSegment, .recordSegment, .preloadSegment: text = media("#EXTINF:6,\n\(target)")
        case .playKey, .getKey, .recordKey:
            text = media("#EXT-X-KEY:METHOD=AES-128,URI=\"\(target)\"\n#EXTINF:6,\n\(other)")
        case .playMap, .getMap, .recordMap: text = media("#EXT-X-MAP:URI=\"\(target)\"\n#EXTINF:6,\n\(other)")
        case .playAsset:
            text = media(
                "#EXT-X-DATERANGE:ID=\"a\",CLASS=\"com.apple.hls.interstitial\",START-DATE=\"2026-01-01T00:00:00Z\","
                    + "X-ASSET-LIST=\"list.json\"\n#EXTINF:6,\n\(other)")
            if let list = try? document.resolve("list.json") {
                origin[list] = ScriptedResource(
                    .text("{\"ASSETS\":[{\"URI\":\"\(target)\",\"DURATION\":1}]}"), contentType: "application/json")
            }
        case .playAhead: text = media("#EXTINF:6,\n\(other)\n#EXTINF:6,\n\(target)")
        case .getRefreshed:
            text = media("#EXTINF:6,\n\(other)")
            let (origin, fresh) = (origin, media("#EXTINF:6,\n\(target)"))
            if let old = try? ResourceURL(other) {
                origin.always(old, .status(403))
                network.before(old) { [time] in
                    origin.replaceBody(document, with: .text(fresh), entityTag: "\"2\"")
                    time.advance(by: .seconds(1))
                }
            }
        case .playVariant, .getVariant, .recordVariant, .probeVariant, .preloadVariant:
            text = "#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=1\n\(target)\n"
        }
        origin[document] = .playlist(text)
    }

    private func run(_ path: AccessMatrixTests.Path, _ start: ResourceURL, isUserProvided: Bool) async throws {
        switch path {
        case .playSegment where isUserProvided:
            _ = try? await play(PlayTarget.path(for: start.withoutUserInfo, token: "K"))
        case .playSegment, .playKey, .playMap, .playVariant:
            let references = try await references(of: start)
            guard let reference = references.first(where: { $0.contains("/t/") || $0.contains("/r/") }) else { return }
            _ = try? await play(reference)
        case .playAsset:
            guard let list = try await references(of: start).first else { return }
            let text = String(decoding: try await play(list), as: UTF8.self)
            let uri = try #require(text.firstMatch(of: /"URI":"([^"]*)"/)?.1)
            _ = try? await play(String(uri))
        case .playAhead:
            guard let first = try await references(of: start).first else { return }
            _ = try await play(first)
        case .getSegment, .getKey, .getMap, .getVariant, .getRefreshed:
            let id = try await downloads.add(DownloadRequest(url: start)).id
            let downloads = downloads
            await wait { await downloads.status(of: id)?.asset.download?.state.isEnded ?? true }
        case .recordSegment, .recordKey, .recordMap, .recordVariant:
            let name = try #require(ChannelName(rawValue: "c\(cell)"))
            try await recordings.add(ChannelRequest(name: name, url: start))
            let (network, tag) = (network, "/t/\(cell)/")
            await wait { network.attempts.contains { $0.target.hasPrefix(tag) } }
            try await recordings.remove(name)
        case .probeVariant: _ = try? await MediaProber(store: store, loader: loader).probe(start)
        case .preloadSegment, .preloadVariant:
            let preloader = Preloader(store: store, loader: loader)
            await preloader.rank([start], amount: .segments(1))
            await preloader.finished()
            await preloader.stop()
        }
    }

    /// Reads a play path as the server's route does.
    private func play(_ path: String) async throws -> [UInt8] {
        let target = try PlayTarget(path)
        let request = ReadRequest(url: target.url, settings: profiles.settings(for: target))
        if let reader = try source.readerIfOpen(request, for: target) { return try await bytes(of: reader) }
        return try await bytes(of: try await source.reader(request, for: target))
    }

    /// Returns the play paths that a playlist references, resolved as players do.
    private func references(of url: ResourceURL) async throws -> [String] {
        let path = PlayTarget.path(for: url, token: "K")
        let text = String(decoding: try await play(path), as: UTF8.self)
        let base = try ResourceURL("http://server.example\(path)")
        return try text.split(separator: "\n").compactMap { line in
            if !line.hasPrefix("#") { return try base.resolve(String(line)).target }
            guard let uri = line.firstMatch(of: /(?:URI|X-ASSET-LIST)="([^"]*)"/)?.1 else { return nil }
            return try base.resolve(String(uri)).target
        }
    }

    /// Advances the clock until a condition is true, for at most a minute in real time, because files are written.
    private func wait(until condition: () async -> Bool) async {
        let deadline = ContinuousClock.now + .seconds(60)
        while ContinuousClock.now < deadline {
            if await condition() { return }
            for _ in 0..<50 { await Task.yield() }
            time.advance(by: .milliseconds(10))
        }
    }
}
