import Foundation
import HTTPTypes
import MediaCache
import MediaCacheAPI
import Testing

@testable import MediaCacheServer

struct AccessTests {
    private let folder = TestFolder()

    /// Creates the folder, and returns the key file in it.
    private func keyFile() throws -> AccessKeyFile {
        try folder.create()
        return AccessKeyFile(location: CacheLocation(folder: folder.path))
    }

    @Test func createsKeyWith128RandomBits() {
        let keys = (0..<100).map { _ in AccessKey().value }
        #expect(Set(keys).count == 100)
        // Each character has six bits.
        #expect(keys.allSatisfy { $0.utf8.count * 6 >= 128 })
    }

    @Test func omitsKeyFromDescription() {
        let key = AccessKey()
        var dumped = ""
        dump(key, to: &dumped)
        #expect(!"\(key) \(String(reflecting: key)) \(dumped)".contains(key.value))
    }

    @Test func matchesWholeKeyOnly() throws {
        let key = try #require(AccessKey("abcdefghijklmnopqrstuvwxyz"))
        #expect(key.matches("abcdefghijklmnopqrstuvwxyz"))
        #expect(!key.matches("abcdefghijklmnopqrstuvwxy"))
        #expect(!key.matches("abcdefghijklmnopqrstuvwxyz0"))
        #expect(!key.matches("abcdefghijklmnopqrstuvwxyZ"))
        #expect(!key.matches(""))
    }

    @Test func createsPrivateKeyFileOnce() throws {
        let file = try keyFile()
        #expect(try file.load() == nil)
        let key = try file.loadOrCreate()
        #expect(try file.loadOrCreate() == key)
        let mode = try FileManager.default.attributesOfItem(atPath: file.path)[.posixPermissions] as? Int
        #expect(mode == 0o600)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["key"])
        let rolled = try file.roll()
        #expect(rolled != key)
        #expect(try file.load() == rolled)
    }

    @Test(arguments: [0o644, 0o640, 0o604, 0o666])
    func replacesKeyReadableByOtherUsers(mode: Int) throws {
        let file = try keyFile()
        let known = try file.loadOrCreate()
        #expect(try file.loadOrCreate() == known)
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: file.path)
        let key = try file.loadOrCreate()
        #expect(key != known)
        #expect(try file.load() == key)
        #expect(try FileManager.default.attributesOfItem(atPath: file.path)[.posixPermissions] as? Int == 0o600)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["key"])
    }

    @Test func warnsOnlyIfKeyIsReplaced() async throws {
        let file = try keyFile()
        let log = LogRecorder()
        func writeAccessibleFile(_ text: String) throws {
            try Data(text.utf8).write(to: URL(filePath: file.path))
            try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: file.path)
        }
        // The file doesn't contain a key, so the server doesn't start, and doesn't replace the file.
        try writeAccessibleFile("short\n")
        await #expect(throws: CacheError.self) {
            try await CacheHost.use(folder: folder.path, { $0.logger = log.logger }) { _ in }
        }
        #expect(log.messages.filter { $0.contains("key file") } == [])
        let known = AccessKey()
        try writeAccessibleFile(known.value + "\n")
        try await CacheHost.use(folder: folder.path, { $0.logger = log.logger }) { host in
            #expect(host.key != known)
        }
        #expect(log.messages.count { $0.contains("key file") } == 1)
    }

    @Test func findsKeyFileOutsideUnwritableFolder() throws {
        let location = CacheLocation(folder: folder.path)
        let inner = try keyFile()
        #expect(AccessKeyFile.inUse(at: location) == inner)
        let key = AccessKeyFile.keyToRead(location)
        let outer = AccessKeyFile.inUse(at: location)
        defer { try? FileManager.default.removeItem(atPath: outer.path) }
        #expect(outer != inner)
        #expect(try outer.load() == key)
        #expect(try AccessKeyFile.key(of: location) == key)
        // Once the folder can be written, its file takes precedence.
        #expect(try inner.loadOrCreate() != key)
        #expect(AccessKeyFile.inUse(at: location) == inner)
    }

    @Test func errorContainsPathOfInvalidKeyFile() throws {
        let file = try keyFile()
        try Data("short\n".utf8).write(to: URL(filePath: file.path))
        let error = #expect(throws: CacheError.self) { try file.loadOrCreate() }
        #expect(error?.message.contains(file.path) == true)
    }

    /// On a file system without links, another process may read the file while it is being written.
    @Test func waitsForKeyFileThatIsBeingWritten() throws {
        let file = try keyFile()
        let key = AccessKey()
        var parts = ["", String(key.value.prefix(10)), key.value + "\n"]
        func writePart() throws { try Data(parts.removeFirst().utf8).write(to: URL(filePath: file.path)) }
        try writePart()
        let loaded = try file.load(pausing: { try? writePart() })
        #expect(loaded == key)
        #expect(parts.isEmpty)
        // A file that remains incomplete is an error.
        try Data(key.value.utf8.prefix(10)).write(to: URL(filePath: file.path))
        var pauses = 0
        #expect(throws: CacheError.self) { _ = try file.load(pausing: { pauses += 1 }) }
        #expect(pauses > 0)
    }

    @Test func acceptsKeyAsBearerToken() {
        let key = AccessKey()
        let access = AccessControl(key: key)
        #expect(access.admits(authorization: "Bearer \(key.value)"))
        #expect(access.admits(authorization: "bearer \(key.value)"))
        #expect(!access.admits(authorization: "Basic \(key.value)"))
        #expect(!access.admits(authorization: key.value))
        #expect(!access.admits(authorization: nil))
    }

    @Test(arguments: [
        ("127.0.0.1:9479", true), ("localhost", true), ("LOCALHOST.:80", true), ("[::1]:9479", true),
        ("127.9.8.7", true), ("media.example:80", true), ("192.168.1.5", true), ("10.0.0.1:9479", true),
        ("evil.example", false), ("127.0.0.1.evil.example", false), ("localhost.evil.example", false), ("", false),
        ("127.0.0.256", false),
    ])
    func allowsKnownHostsOnly(_ host: String, _ isAllowed: Bool) {
        let policy = HostPolicy(boundHost: "192.168.1.5", allowedHosts: ["media.example"], isExposed: true)
        #expect(policy.allows(host, localAddress: "10.0.0.1") == isAllowed)
    }

    /// Browsers don't resolve addresses, so DNS rebinding can't use them. Other spellings of addresses are refused.
    @Test(arguments: [
        ("10.0.0.2", true), ("10.0.0.2:9479", true), ("[fd00::2]:9479", true), ("0x0a000002", false), ("10.2", false),
        ("10.0.0.2.evil.example", false), ("fd00--2.evil.example", false),
    ])
    func onlyExposedServerAllowsOtherAddresses(_ host: String, _ isAddress: Bool) {
        let exposed = HostPolicy(boundHost: "0.0.0.0", allowedHosts: [], isExposed: true)
        #expect(exposed.allows(host, localAddress: "10.0.0.1") == isAddress)
        #expect(!exposed.verdict(on: host, localAddress: "10.0.0.1").permitsLocality)
        let local = HostPolicy(boundHost: "127.0.0.1", allowedHosts: [], isExposed: false)
        #expect(!local.allows(host, localAddress: "127.0.0.1"))
    }

    @Test func limitsCredentialsToUserAndOrigin() throws {
        let store = HeaderProfileStore(base: TransferSettings())
        let url = try ResourceURL("https://example.com/x")
        let identity = store.remember(Credentials(userInfo: "Aladdin:open%20sesame"), for: url)
        #expect(store.settings(for: url) == nil)
        let profile = try #require(store.settings(for: url, as: identity)?.headerProfiles[url])
        // The example of RFC 7617 §2.
        #expect(profile.fields[.authorization] == "Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==")
        #expect(profile.identity == identity)
        let elsewhere = try ResourceURL("https://other.example/")
        #expect(store.settings(for: url, as: identity)?.headerProfiles[elsewhere] == nil)
        #expect(store.settings(for: elsewhere, as: identity)?.headerProfiles[elsewhere]?.fields.isEmpty == true)
    }

    @Test func keepsPasswordGivenByUser() throws {
        let store = HeaderProfileStore(base: TransferSettings())
        let url = try ResourceURL("https://example.com/x")
        let identity = store.remember(Credentials(userInfo: "a:b"), for: url)
        store.remember(Credentials(userInfo: "a:other"), for: url, from: .untrusted)
        for number in 0..<300 { store.remember(Credentials(userInfo: "u\(number):p"), for: url, from: .untrusted) }
        let fields = store.settings(for: url, as: identity)?.headerProfiles[url]?.fields
        #expect(fields?[.authorization] == "Basic YTpi")
    }

    @Test func untrustedUserEvictsNoPasswordGivenByUser() throws {
        let store = HeaderProfileStore(base: TransferSettings())
        let url = try ResourceURL("https://example.com/x")
        let identities = (0..<256).map { store.remember(Credentials(userInfo: "u\($0):p"), for: url) }
        store.remember(Credentials(userInfo: "a:b"), for: url, from: .untrusted)
        let isKnown = identities.map { identity in
            store.settings(for: url, as: identity)?.headerProfiles[url]?.fields[.authorization] != nil
        }
        #expect(isKnown.allSatisfy { $0 })
    }

    @Test func findsPasswordOfKnownUser() throws {
        let store = HeaderProfileStore(base: TransferSettings())
        let url = try ResourceURL("https://example.com/x")
        func authorization(after userInfo: String) -> String? {
            let identity = store.remember(Credentials(userInfo: userInfo), for: url)
            return store.settings(for: url, as: identity)?.headerProfiles[url]?.fields[.authorization]
        }
        #expect(authorization(after: "a:b") == "Basic YTpi")
        #expect(authorization(after: "a") == "Basic YTpi")
        #expect(authorization(after: "a:") == "Basic YTo=")
        #expect(authorization(after: "c") == "Basic Yzo=")
    }
}
