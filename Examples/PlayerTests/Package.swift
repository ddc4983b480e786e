// swift-tools-version: 6.2

import PackageDescription

/// Tests of the library products with Apple's own player. The package's own scheme also builds tests that start
/// programs, which iOS doesn't allow.
let package = Package(
    name: "player-tests",
    platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .visionOS(.v2)],
    dependencies: [.package(name: "swift-media-cache", path: "../..")],
    targets: [
        .testTarget(
            name: "PlayerTests",
            dependencies: [
                .product(name: "MediaCache", package: "swift-media-cache"),
                .product(name: "MediaCacheAVFoundation", package: "swift-media-cache"),
                .product(name: "MediaCacheServer", package: "swift-media-cache"),
                .product(name: "MediaCacheTesting", package: "swift-media-cache"),
                .product(name: "MediaCacheURLSession", package: "swift-media-cache"),
            ],
            swiftSettings: [
                .enableUpcomingFeature("ExistentialAny"), .enableUpcomingFeature("MemberImportVisibility"),
                .enableUpcomingFeature("InternalImportsByDefault"),
                .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
            ])
    ]
)
