// swift-tools-version: 6.2

import PackageDescription

/// Benchmarks that compare the `mediacache` command with other programs. They are a separate package, so that users of
/// the library don't build them. Of the library, they link only `HLS` and `MediaContainers`, which are measured in
/// process.
///
/// `Sources/Benchmarks/Support` is a symbolic link to the harness of the acceptance tests (child processes, nginx,
/// fixtures). `Sources/TestSupport` is a link to the code that all tests share.
let package = Package(
    name: "benchmarks",
    platforms: [.macOS(.v15)],
    dependencies: [.package(name: "swift-media-cache", path: "..")],
    targets: [
        .executableTarget(
            name: "Benchmarks",
            dependencies: [
                "TestSupport",
                .product(name: "HLS", package: "swift-media-cache"),
                .product(name: "MediaContainers", package: "swift-media-cache"),
            ],
            swiftSettings: [
                .enableUpcomingFeature("ExistentialAny"),
                .enableUpcomingFeature("MemberImportVisibility"),
                .enableUpcomingFeature("InternalImportsByDefault"),
                .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
            ]
        ),
        // Encryption needs the shims, which aren't a product.
        .target(name: "TestSupport", exclude: ["AESEncryption.swift"]),
    ]
)
