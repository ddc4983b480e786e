import Foundation
import MediaCache
import MediaCacheAPI
import MediaCacheTesting
import MediaLibrary
import Testing

@testable import MediaCacheServer

struct AccessControlTests {
    private let clock = ManualTime()
    private let key = AccessKey()
    private let folder = TestFolder()

    private var file: String { "\(folder.path)/settings/tokens.json" }

    /// Opens the folder and loads stored tokens.
    private func withAccess(sharesLibrary: Bool = false, _ body: (AccessControl) async throws -> Void) async throws {
        let store = try await CacheStore.open(
            CacheConfiguration(location: CacheLocation(folder: folder.path)), origin: ScriptedOrigin(), logger: .silent)
        let access = AccessControl(key: key, tokenFile: TokenFile(of: store), sharesLibrary: sharesLibrary) { [clock] in
            clock.now
        }
        do {
            try await access.load()
            try await body(access)
        } catch {
            await store.close()
            throw error
        }
        await store.close()
    }

    private func asset(_ text: String = "aaaaaaaaaaaa") throws -> AssetID { try #require(AssetID(rawValue: text)) }

    @Test func revokesLibraryTokenWhileItIsNotValid() async throws {
        try await withAccess { access in
            #expect(access.libraryToken == nil)
            let isRevoked = try await access.revoke(AccessControl.libraryID)
            #expect(isRevoked)
        }
        try await withAccess(sharesLibrary: true) { access in
            #expect(access.libraryToken == key.libraryToken(afterRevocations: 1))
            #expect(access.grant(for: key.libraryToken(afterRevocations: 0)) == nil)
        }
    }

    /// A valid signature, which suffices for the token of an asset, makes no difference.
    @Test func libraryTokenOpensNoPlayURL() throws {
        let access = AccessControl(key: key, sharesLibrary: true)
        let token = try #require(access.libraryToken)
        var target = PlayTarget(try ResourceURL("http://origin.example/film.mp4"), token: token)
        #expect(!access.admits(target))
        target.options.signature = access.signature(of: target)
        #expect(!access.admits(target))
    }

    @Test func createsTokenWith128RandomBits() async throws {
        let access = AccessControl(key: key)
        var tokens: Set<String> = []
        for _ in 0..<100 { tokens.insert(try await access.issue(asset: nil, label: nil, expires: nil).token) }
        #expect(tokens.count == 100)
        // Each character has six bits.
        #expect(tokens.allSatisfy { $0.utf8.count * 6 >= 128 })
        #expect(access.playbackToken.utf8.count * 6 >= 128)
    }

    @Test func storesHashesInPrivateFile() async throws {
        var issued: (record: AccessToken, token: String)?
        try await withAccess { access in
            let made = try await access.issue(asset: nil, label: "living room", expires: nil)
            issued = made
            let text = try String(contentsOfFile: file, encoding: .utf8)
            #expect(!text.contains(made.token) && !text.contains(access.playbackToken))
            #expect(!text.contains(key.value))
            #expect(text.contains(TokenDigest(of: made.token).rawValue) && text.contains("living room"))
            let mode = try FileManager.default.attributesOfItem(atPath: file)[.posixPermissions] as? Int
            #expect(mode == 0o600)
        }
        let token = try #require(issued)
        try await withAccess { access in
            #expect(access.grant(for: token.token) == .playback)
            #expect(access.tokens().map(\.id) == [AccessControl.standingID, token.record.id])
        }
    }

    @Test func keepsStandingTokenUntilRevocationOrKeyRoll() async throws {
        var (first, second) = ("", "")
        try await withAccess { first = $0.playbackToken }
        #expect(!FileManager.default.fileExists(atPath: file))
        try await withAccess { access in
            #expect(access.playbackToken == first)
            let isRevoked = try await access.revoke(AccessControl.standingID)
            #expect(isRevoked)
            #expect(access.grant(for: first) == nil)
            second = access.playbackToken
            #expect(access.grant(for: second) != nil)
        }
        try await withAccess { access in
            #expect(access.playbackToken == second && access.grant(for: first) == nil)
            let rolled = try await access.roll()
            #expect(access.grant(for: second) == nil && access.playbackToken != second)
            #expect(!access.admits(authorization: "Bearer \(key.value)"))
            #expect(access.admits(authorization: "Bearer \(rolled.value)"))
        }
    }

    @Test func separatesKeyFromTokens() async throws {
        let access = AccessControl(key: key)
        let issued = try await access.issue(asset: nil, label: nil, expires: nil)
        #expect(!access.admits(authorization: "Bearer \(issued.token)"))
        #expect(!access.admits(authorization: "Bearer \(access.playbackToken)"))
        for candidate in [
            key.value, issued.record.id, AccessControl.standingID, "", TokenDigest(of: issued.token).rawValue,
        ] {
            #expect(access.grant(for: candidate) == nil)
        }
    }

    @Test func matchesWholeTokenOnly() async throws {
        let access = AccessControl(key: key)
        let token = try await access.issue(asset: nil, label: nil, expires: nil).token
        let swapped = (token.first == "A" ? "B" : "A") + token.dropFirst()
        for candidate in [String(token.dropLast()), token + "A", swapped, String(repeating: "A", count: 100_000)] {
            #expect(access.grant(for: candidate) == nil)
        }
        #expect("abc".isEqualInConstantTime(to: "abc") && "".isEqualInConstantTime(to: ""))
        for other in ["abd", "bbc", "ab", "abcd", ""] { #expect(!"abc".isEqualInConstantTime(to: other)) }
    }

    @Test func expiresTokenByClock() async throws {
        try await withAccess { access in
            let token = try await access.issue(asset: nil, label: nil, expires: clock.now + 60)
            clock.advance(by: .seconds(59.5))
            #expect(access.grant(for: token.token) != nil)
            #expect(access.tokens().last?.lastUsed == clock.now)
            clock.advance(by: .seconds(0.5))
            #expect(access.grant(for: token.token) == nil)
            #expect(access.tokens().map(\.id) == [AccessControl.standingID])
            // The next change of the file removes the expired token.
            _ = try await access.issue(asset: nil, label: nil, expires: nil)
            let text = try String(contentsOfFile: file, encoding: .utf8)
            #expect(!text.contains(token.record.id))
        }
    }

    @Test func refusesRevokedToken() async throws {
        var token = ""
        try await withAccess { access in
            let issued = try await access.issue(asset: try asset(), label: nil, expires: nil)
            token = issued.token
            #expect(access.grant(for: token) == .asset(try asset()))
            #expect(try await access.revoke(issued.record.id))
            #expect(access.grant(for: token) == nil)
            #expect(try await !access.revoke(issued.record.id))
        }
        try await withAccess { #expect($0.grant(for: token) == nil) }
    }

    @Test func storesLastUseAtStop() async throws {
        let start = clock.now
        var token = ""
        try await withAccess { access in
            token = try await access.issue(asset: nil, label: nil, expires: nil).token
            clock.advance(by: .seconds(3600))
            #expect(access.grant(for: token) != nil)
            try await access.save()
        }
        try await withAccess { #expect($0.tokens().last?.lastUsed == start + 3600) }
    }

    @Test func storesLastUseAfterFailedAttempt() async throws {
        let start = clock.now
        try await withAccess { access in
            let token = try await access.issue(asset: nil, label: nil, expires: nil).token
            clock.advance(by: .seconds(3600))
            #expect(access.grant(for: token) != nil)
            // Replacing a folder that isn't empty by renaming fails, even for root.
            try FileManager.default.removeItem(atPath: file)
            try FileManager.default.createDirectory(atPath: "\(file)/x", withIntermediateDirectories: true)
            await #expect(throws: CacheError.self) { try await access.save() }
            try FileManager.default.removeItem(atPath: file)
            try await access.save()
        }
        try await withAccess { #expect($0.tokens().last?.lastUsed == start + 3600) }
    }

    /// If a crash happens between writing the new file and renaming it, the old file remains.
    @Test func keepsOldTokensAfterCrashBeforeRename() async throws {
        var token = ""
        try await withAccess { token = try await $0.issue(asset: nil, label: nil, expires: nil).token }
        try Data(#"{"version":1,"tok"#.utf8).write(to: URL(filePath: "\(file).4711.new"))
        try await withAccess { access in
            #expect(access.grant(for: token) != nil)
            #expect(access.tokens().count == 2)
        }
    }

    @Test func failsToIssueButRevokesTokenWhenFileCannotBeWritten() async throws {
        try await withAccess { access in
            let issued = try await access.issue(asset: nil, label: nil, expires: nil)
            // Replacing a folder that isn't empty by renaming fails, even for root.
            try FileManager.default.removeItem(atPath: file)
            try FileManager.default.createDirectory(atPath: "\(file)/x", withIntermediateDirectories: true)
            await #expect(throws: CacheError.self) {
                try await access.issue(asset: nil, label: nil, expires: nil)
            }
            #expect(access.tokens().map(\.id) == [AccessControl.standingID, issued.record.id])
            await #expect(throws: CacheError.self) { try await access.revoke(issued.record.id) }
            #expect(access.grant(for: issued.token) == nil)
        }
    }

    @Test(arguments: [
        "", "{}", "[]", #"{"version":2,"signingSecret":"","revocations":0,"tokens":[]}"#,
        #"{"version":1,"signingSecret":"AAAA","revocations":0,"tokens":[]}"#,
        #"{"version":1,"revocations":0,"tokens":[{"id":"x","digest":"short"}]}"#, "\u{0}\u{1}\u{2}",
    ])
    func failsClosedOnDamagedTokenFile(_ text: String) async throws {
        try FileManager.default.createDirectory(atPath: "\(folder.path)/settings", withIntermediateDirectories: true)
        try Data(text.utf8).write(to: URL(filePath: file))
        let error = await #expect(throws: CacheError.self) { try await withAccess { _ in } }
        #expect(error?.code == .storage && error?.message.contains("settings/tokens.json") == true)
        // A server with this file doesn't start, either.
        await #expect(throws: CacheError.self) {
            try await CacheHost.use(folder: folder.path) { _ in }
        }
    }

    @Test func limitsNumberOfTokens() async throws {
        let access = AccessControl(key: key) { [clock] in clock.now }
        for _ in 0..<AccessControl.capacity {
            _ = try await access.issue(asset: nil, label: nil, expires: clock.now + 10)
        }
        let problem = await #expect(throws: Problem.self) {
            try await access.issue(asset: nil, label: nil, expires: nil)
        }
        #expect(problem?.status == 409)
        clock.advance(by: .seconds(10))
        _ = try await access.issue(asset: nil, label: nil, expires: nil)
    }

    @Test func bindsSignatureToTokenResourceAndOptions() async throws {
        let access = AccessControl(key: key)
        let (one, other) = (
            try await access.issue(asset: try asset(), label: nil, expires: nil).token,
            try await access.issue(asset: try asset(), label: nil, expires: nil).token
        )
        let url = try ResourceURL("http://origin.example/a/list.m3u8?x=1")
        var target = PlayTarget(url, token: one, options: PlayOptions(isPublicOnly: true))
        #expect(!access.admits(target))
        target.options.signature = access.signature(of: target)
        #expect(access.admits(target))
        #expect(access.admits(try PlayTarget(target.path)))
        func refuses(_ change: (inout PlayTarget) throws -> Void) rethrows -> Bool {
            var changed = target
            try change(&changed)
            return !access.admits(changed)
        }
        #expect(try refuses { $0.url = try ResourceURL("http://origin.example/a/list.m3u8?x=2") })
        #expect(try refuses { $0.url = try ResourceURL("https://origin.example/a/list.m3u8?x=1") })
        #expect(refuses { $0.token = other })
        #expect(refuses { $0.options.isPublicOnly = false })
        #expect(refuses { $0.options.isCachedOnly = true })
        #expect(refuses { $0.options.document = .assets })
        #expect(refuses { $0.options.variables = ["a": "b"] })
        #expect(refuses { $0.options.identity = ProfileIdentity(user: "bob") })
        #expect(refuses { $0.credentials = Credentials(userInfo: "bob:secret") })
        #expect(refuses { $0.options.signature = nil })
        #expect(refuses { $0.options.signature = "" })
        // Another server has a different secret.
        #expect(AccessControl(key: key).signature(of: target) != target.options.signature)
    }
}
