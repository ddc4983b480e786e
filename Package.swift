// swift-tools-version: 6.2

import Foundation
import PackageDescription

/// Whether the targets of this package treat warnings as errors, as in CI. Dependencies aren't affected.
let strict = ProcessInfo.processInfo.environment["MEDIACACHE_STRICT"] == "1"

let swiftSettings: [SwiftSetting] =
    [
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("MemberImportVisibility"),
        .enableUpcomingFeature("InternalImportsByDefault"),
        .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    ] + (strict ? [.treatAllWarnings(as: .error)] : [])

// Apple's App Store requires a privacy manifest in the bundle of a library. On other systems, the package has no bundles.
#if os(Linux)
    let privacyManifest: (exclude: [String], resources: [Resource]) = (["PrivacyInfo.xcprivacy"], [])
#else
    let privacyManifest: (exclude: [String], resources: [Resource]) = ([], [.copy("PrivacyInfo.xcprivacy")])
#endif

let package = Package(
    name: "swift-media-cache",
    platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .visionOS(.v2)],
    products: [
        .library(name: "HLS", targets: ["HLS"]),
        .library(name: "MediaContainers", targets: ["MediaContainers"]),
        .library(name: "MediaCache", targets: ["MediaCache"]),
        .library(name: "MediaLibrary", targets: ["MediaLibrary"]),
        .library(name: "MediaCacheAPI", targets: ["MediaCacheAPI"]),
        .library(name: "MediaCacheServer", targets: ["MediaCacheServer"]),
        .library(name: "MediaCacheCurl", targets: ["MediaCacheCurl"]),
        .library(name: "MediaCacheURLSession", targets: ["MediaCacheURLSession"]),
        .library(name: "MediaCacheAVFoundation", targets: ["MediaCacheAVFoundation"]),
        .library(name: "MediaCacheTesting", targets: ["MediaCacheTesting"]),
        .executable(name: "mediacache", targets: ["MediaCacheCLI"]),
    ],
    dependencies: [
        .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
        .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.0"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.0"),
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.0"),
    ],
    targets: [
        .target(name: "HLS", swiftSettings: swiftSettings),
        .target(name: "MediaContainers", swiftSettings: swiftSettings),
        .target(
            name: "CMediaCacheShims",
            linkerSettings: [.linkedLibrary("z"), .linkedLibrary("crypto", .when(platforms: [.linux]))]),
        // The functions that start programs, which no library product uses, because tvOS has none.
        .target(name: "CMediaCacheSpawn"),
        .target(name: "CMediaCachePage", exclude: ["page"]),
        .target(name: "CMediaCacheDemo", exclude: ["demo-clip.mp4", "demo.html"]),
        .target(
            name: "MediaCache",
            dependencies: [
                "CMediaCacheShims",
                .product(name: "GRDB", package: "GRDB.swift"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "Logging", package: "swift-log"),
            ],
            exclude: privacyManifest.exclude,
            resources: privacyManifest.resources,
            swiftSettings: swiftSettings
        ),
        .target(
            name: "MediaLibrary",
            dependencies: [
                "CMediaCacheShims",
                "HLS",
                "MediaCache",
                "MediaContainers",
                .product(name: "HTTPTypes", package: "swift-http-types"),
            ],
            swiftSettings: swiftSettings
        ),
        .target(
            name: "MediaCacheTesting",
            dependencies: [
                "MediaCache",
                .product(name: "HTTPTypes", package: "swift-http-types"),
            ],
            swiftSettings: swiftSettings
        ),
        .target(name: "CMediaCacheCurl", linkerSettings: [.linkedLibrary("curl")]),
        .target(
            name: "MediaCacheCurl",
            dependencies: [
                "CMediaCacheCurl", "MediaCache",
                .product(name: "HTTPTypes", package: "swift-http-types"),
            ],
            swiftSettings: swiftSettings
        ),
        .target(
            name: "MediaCacheAPI",
            dependencies: [
                "MediaCache",
                "MediaContainers",
                "MediaLibrary",
                .product(name: "HTTPTypes", package: "swift-http-types"),
            ],
            swiftSettings: swiftSettings
        ),
        .target(
            name: "MediaCacheServer",
            dependencies: [
                "CMediaCachePage",
                "HLS",
                "MediaCache",
                "MediaCacheAPI",
                "MediaContainers",
                "MediaLibrary",
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
            ],
            swiftSettings: swiftSettings
        ),
        .target(
            name: "MediaCacheURLSession",
            dependencies: [
                "MediaCache",
                .product(name: "HTTPTypes", package: "swift-http-types"),
            ],
            swiftSettings: swiftSettings
        ),
        .target(name: "MediaCacheAVFoundation", dependencies: ["MediaCache"], swiftSettings: swiftSettings),
        .executableTarget(
            name: "MediaCacheCLI",
            dependencies: [
                "CMediaCacheDemo",
                "CMediaCacheShims",
                "CMediaCacheSpawn",
                "MediaCache",
                "MediaCacheAPI",
                "MediaCacheCurl",
                "MediaCacheServer",
                "MediaLibrary",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
            ],
            swiftSettings: swiftSettings
        ),
        .target(
            name: "TestSupport", dependencies: ["CMediaCacheShims"], path: "Tests/TestSupport",
            swiftSettings: swiftSettings),
        .target(name: "PacketOracles", path: "Tests/PacketOracles", swiftSettings: swiftSettings),
        .target(
            name: "FormatProperties", dependencies: ["HLS", "MediaContainers"], path: "Tests/FormatProperties",
            swiftSettings: swiftSettings),
        .testTarget(
            name: "HLSTests", dependencies: ["FormatProperties", "HLS", "TestSupport"], swiftSettings: swiftSettings),
        .testTarget(
            name: "MediaContainersTests",
            dependencies: ["CMediaCacheShims", "FormatProperties", "MediaContainers", "PacketOracles", "TestSupport"],
            swiftSettings: swiftSettings),
        .testTarget(
            name: "MediaLibraryTests",
            dependencies: [
                "HLS",
                "MediaCache",
                "MediaCacheTesting",
                "MediaContainers",
                "MediaLibrary",
                "TestSupport",
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "Logging", package: "swift-log"),
            ],
            swiftSettings: swiftSettings
        ),
        .testTarget(
            name: "MediaCacheTests",
            dependencies: [
                "MediaCache",
                "MediaCacheTesting",
                "TestSupport",
                .product(name: "GRDB", package: "GRDB.swift"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "Logging", package: "swift-log"),
            ],
            swiftSettings: swiftSettings
        ),
        .testTarget(
            name: "MediaCacheTestingTests",
            dependencies: [
                "MediaCache",
                "MediaCacheTesting",
                .product(name: "HTTPTypes", package: "swift-http-types"),
            ],
            swiftSettings: swiftSettings
        ),
        .testTarget(
            name: "MediaCacheServerTests",
            dependencies: [
                "HLS",
                "MediaCache",
                "MediaCacheAPI",
                "MediaCacheCurl",
                "MediaCacheServer",
                "MediaCacheTesting",
                "MediaContainers",
                "MediaLibrary",
                "TestSupport",
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOEmbedded", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
            ],
            swiftSettings: swiftSettings
        ),
        .testTarget(
            name: "MediaCacheURLSessionTests",
            dependencies: [
                "MediaCache",
                "MediaCacheTesting",
                "MediaCacheURLSession",
                .product(name: "HTTPTypes", package: "swift-http-types"),
            ],
            swiftSettings: swiftSettings
        ),
        .testTarget(
            name: "MediaCacheAVFoundationTests",
            dependencies: [
                "MediaCache",
                "MediaCacheAVFoundation",
                "MediaCacheTesting",
                "TestSupport",
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "Logging", package: "swift-log"),
            ],
            swiftSettings: swiftSettings
        ),
        .testTarget(
            name: "MediaCacheCLITests",
            dependencies: [
                "MediaCache",
                "MediaCacheAPI",
                "MediaCacheCLI",
                "MediaCacheCurl",
                "MediaCacheServer",
                "MediaContainers",
                "MediaLibrary",
                "TestSupport",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
            ],
            exclude: ["Snapshots"],
            swiftSettings: swiftSettings
        ),
        .testTarget(
            name: "AcceptanceTests",
            // MediaCacheCLI, because the tests start the command from the build folder; HLS, because a client of
            // low-latency streams parses playlists.
            dependencies: ["CMediaCacheSpawn", "HLS", "MediaCacheCLI", "PacketOracles", "TestSupport"],
            exclude: ["Snapshots"],
            swiftSettings: swiftSettings
        ),
    ]
)

// The sanitizers run some tests (Scripts/check-sanitizer.sh). Only those test targets, and the targets that they depend
// on, are built for them.
if let names = ProcessInfo.processInfo.environment["MEDIACACHE_TEST_TARGETS"] {
    var built: Set<String> = []
    var rest = names.split(separator: " ").map(String.init)
    while let name = rest.popLast() {
        guard built.insert(name).inserted, let target = package.targets.first(where: { $0.name == name }) else {
            continue
        }
        for case .byNameItem(let dependency, _) in target.dependencies { rest.append(dependency) }
    }
    package.targets.removeAll { !built.contains($0.name) }
    package.products = []
}

// The fuzzers need libFuzzer, so only `make fuzz` builds them.
if ProcessInfo.processInfo.environment["MEDIACACHE_FUZZ"] == "1" {
    package.targets.append(
        .executableTarget(
            name: "Fuzzers",
            dependencies: [
                "FormatProperties", "HLS", "MediaCache", "MediaCacheCurl", "MediaContainers",
                .product(name: "HTTPTypes", package: "swift-http-types"),
            ],
            path: "Tests/Fuzzers", swiftSettings: swiftSettings))
}
