import Foundation
import MediaCacheServer

/// The announcement of the server in the network by DNS-SD (RFC 6763), with the service type `_http._tcp`: by Bonjour
/// on Apple's systems, otherwise by the program `avahi-publish`. Without that program, or if it fails, the server isn't
/// announced, which is reported but isn't an error.
final class ServiceAnnouncement: Sendable {
    #if canImport(Darwin)
        private let bonjour: BonjourAnnouncement

        /// Announces a server that listens on `port`.
        @MainActor
        private init(port: Int) { bonjour = BonjourAnnouncement(name: Self.name, port: port) }

        static func start(port: Int, note: @escaping @Sendable (String) -> Void) async -> ServiceAnnouncement? {
            await ServiceAnnouncement(port: port)
        }

        func end() async { await bonjour.end() }
    #else
        private static let program = "avahi-publish"
        /// The limits of the program. It runs as long as the server, so that there is no deadline.
        private static let limits = Confinement(
            deadline: .zero, processorSeconds: 3600, fileBytes: 1 << 20, memoryBytes: 1 << 30)

        private let watch: Task<Void, Never>

        private init(_ child: ChildProcess, note: @escaping @Sendable (String) -> Void) {
            watch = Task {
                let code = (try? await child.wait()) ?? 1
                if Task.isCancelled { return }
                note("\(Self.program) ended with exit code \(code), so the server isn't announced in the network")
            }
        }

        /// Announces a server that listens on `port`.
        ///
        /// - Parameters:
        ///   - path: The path of `avahi-publish`; nil if it isn't installed.
        ///   - note: Called with the reason why the server isn't announced.
        /// - Returns: nil if the program can't be started.
        static func start(
            port: Int, path: String? = InstalledProgram.path(of: program), note: @escaping @Sendable (String) -> Void
        ) async -> ServiceAnnouncement? {
            guard let path else {
                note("\(program) isn't installed, so the server isn't announced in the network")
                return nil
            }
            do {
                let child = try ChildProcess.startConfined(
                    path, ["--service", name, "_http._tcp", "\(port)", "path=/"], within: limits, reportsErrors: false)
                return ServiceAnnouncement(child, note: note)
            } catch {
                note("\(CommandFailure(error)?.message ?? "\(error)"), so the server isn't announced in the network")
                return nil
            }
        }

        /// Ends the program, and returns when it has exited.
        func end() async {
            watch.cancel()
            await watch.value
        }
    #endif

    /// The name that other devices show. The name of a service has at most 63 bytes (RFC 6763 §4.1.1), so it lacks that
    /// of the machine if both together are longer.
    private static var name: String {
        let name = HostSettings.multicastName.map { "MediaCache on \($0.dropLast(".local".count))" }
        return name.flatMap { $0.utf8.count <= 63 ? $0 : nil } ?? "MediaCache"
    }
}
