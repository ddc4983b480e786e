import MediaCache
import Testing

@testable import MediaCacheCLI

struct CacheFolderTests {
    @Test func theOptionOutranksTheEnvironment() throws {
        let location = try CacheFolder.location(option: "/a/b/", environment: ["MEDIACACHE_DIR": "/c", "HOME": "/h"])
        #expect(location == CacheLocation(folder: "/a/b"))
    }

    @Test func theEnvironmentOutranksThePlatform() throws {
        let location = try CacheFolder.location(option: nil, environment: ["MEDIACACHE_DIR": "/c", "HOME": "/h"])
        #expect(location == CacheLocation(folder: "/c"))
    }

    #if !canImport(Darwin)
        @Test func thePlatformHasAFolderForCachesAndOneForData() throws {
            let location = try CacheFolder.location(option: nil, environment: ["HOME": "/h", "MEDIACACHE_DIR": ""])
            #expect(location == CacheLocation(evictable: "/h/.cache/mediacache", durable: "/h/.local/share/mediacache"))
        }

        @Test func relativeFoldersOfXDGAreIgnored() throws {
            let environment = ["HOME": "/h", "XDG_CACHE_HOME": "relative", "XDG_DATA_HOME": "/data"]
            let location = try CacheFolder.location(option: nil, environment: environment)
            #expect(location == CacheLocation(evictable: "/h/.cache/mediacache", durable: "/data/mediacache"))
        }

        @Test func withoutAHomeItSaysWhatToDo() {
            let failure = #expect(throws: CommandFailure.self) {
                try CacheFolder.location(option: nil, environment: [:])
            }
            #expect(failure?.exitCode == 1)
            #expect(failure?.message.contains("--cache") == true)
        }
    #endif

    @Test func theDemoHasFoldersOfItsOwn() {
        let location = CacheFolder.subfolder("demo", of: CacheLocation(evictable: "/c/m", durable: "/d/m"))
        #expect(location == CacheLocation(evictable: "/c/m/demo", durable: "/d/m/demo"))
    }
}
