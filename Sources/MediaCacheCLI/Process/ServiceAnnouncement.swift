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

        /// Becomes the program. A second process ends it at the end of standard input, which comes when this process ends,
        /// however it ends.
        private static let script = """
            exec 3<&0
            { cat <&3 >/dev/null; kill $$; } &
            exec 3<&-
            exec "$0" "$@" </dev/null
            """

        private let watch: Task<Void, Never>
        /// The standard input of the script, which ends when the pipe is closed.
        private let input: Pipe

        private init(_ child: ChildProcess, input: Pipe, note: @escaping @Sendable (String) -> Void) {
            self.input = input
            watch = Task {
                let code = (try? await child.wait()) ?? 1
                if Task.isCancelled { return }
                note("\(Self.program) ended with exit code \(code), so the server isn't announced in the network")
            }
        }

        /// Announces a server that listens on `port`, until the announcement or this process ends.
        ///
        /// - Parameters:
        ///   - path: The path of `avahi-publish`; nil if it isn't installed.
        ///   - note: Called with the reason why the server isn't announced.
        /// - Returns: nil if the program can't be started.
        static func start(
            port: Int, path: String? = InstalledProgram.path(of: program), note: @escaping @Sendable (String) -> Void
        ) async -> ServiceAnnouncement? {
            guard let path, FileManager.default.isExecutableFile(atPath: path) else {
                note("\(program) isn't installed, so the server isn't announced in the network")
                return nil
            }
            do {
                let input = Pipe()
                let child = try ChildProcess.startConfined(
                    "/bin/sh", ["-c", script, path, "--service", name, "_http._tcp", "\(port)", "path=/"],
                    within: limits, input: input.fileHandleForReading.fileDescriptor, reportsErrors: false)
                return ServiceAnnouncement(child, input: input, note: note)
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

    /// The name that other devices show. It omits the machine's name if that is unknown, or if both together exceed the
    /// 63 bytes of an instance name (RFC 6763 §4.1.1).
    private static var name: String {
        let name = HostSettings.multicastName.map { "MediaCache on \($0.dropLast(".local".count))" }
        return name.flatMap { $0.utf8.count <= 63 ? $0 : nil } ?? "MediaCache"
    }
}
