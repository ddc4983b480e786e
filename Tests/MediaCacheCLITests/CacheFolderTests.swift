import MediaCache
import Testing

@testable import MediaCacheCLI

struct CacheFolderTests {
    private func location(_ option: String?, _ environment: [String: String]) throws -> CacheLocation {
        let settings = Settings(
            options: option.map { [.cache: $0] } ?? [:], environment: environment, file: nil)
        return try CacheFolder.location(settings, environment: environment)
    }

    @Test func optionOverridesEnvironment() throws {
        let location = try location("/a/b/", ["MEDIACACHE_DIR": "/c", "HOME": "/h"])
        #expect(location == CacheLocation(folder: "/a/b"))
    }

    @Test func environmentOverridesPlatform() throws {
        let location = try location(nil, ["MEDIACACHE_DIR": "/c", "HOME": "/h"])
        #expect(location == CacheLocation(folder: "/c"))
    }

    #if !canImport(Darwin)
        @Test func usesPlatformFoldersForCachesAndData() throws {
            let location = try location(nil, ["HOME": "/h", "MEDIACACHE_DIR": ""])
            #expect(location == CacheLocation(evictable: "/h/.cache/mediacache", durable: "/h/.local/share/mediacache"))
        }

        @Test func ignoresRelativeXDGFolders() throws {
            let environment = ["HOME": "/h", "XDG_CACHE_HOME": "relative", "XDG_DATA_HOME": "/data"]
            let location = try location(nil, environment)
            #expect(location == CacheLocation(evictable: "/h/.cache/mediacache", durable: "/data/mediacache"))
        }

        @Test func reportsMissingHome() {
            let failure = #expect(throws: CommandFailure.self) {
                try location(nil, [:])
            }
            #expect(failure?.exitCode == 1)
            #expect(failure?.message.contains("--cache") == true)
        }
    #endif

    @Test func demoUsesSeparateFolders() {
        let location = CacheFolder.subfolder("demo", of: CacheLocation(evictable: "/c/m", durable: "/d/m"))
        #expect(location == CacheLocation(evictable: "/c/m/demo", durable: "/d/m/demo"))
    }
}
