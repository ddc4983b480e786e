// swift-tools-version: 6.2

import PackageDescription

/// Measures the `mediacache` command against other programs. A package of its own, so that nobody who uses the library
/// builds it; beside the libraries `HLS` and `MediaContainers`, which are measured in process, it needs nothing but the standard library and
/// Foundation.
///
/// `Sources/Benchmarks/Support` is a link to the harness of the acceptance tests (child processes, nginx, fixtures),
/// `Sources/TestSupport` to what all tests share.
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
        .target(name: "TestSupport"),
    ]
)
