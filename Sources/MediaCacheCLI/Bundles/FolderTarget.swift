import Foundation
import MediaLibrary

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// Where a folder is to be put that appears whole or not at all.
struct FolderTarget: Sendable, Hashable {
    /// The folder's path.
    var path: String
    /// Whether a bundle of that name may be replaced.
    var overwrites: Bool

    /// Whether a folder could be put there, before anything is done for it.
    ///
    /// - Throws: ``CommandFailure``, naming what is in the way.
    func check() throws {
        guard access(path, F_OK) == 0 else { return }
        guard overwrites else { throw CommandFailure(.failed, "“\(path)” is there already; --force replaces it") }
        // Never somebody's home, by a slip of the hand.
        guard isBundle || isEmpty else {
            throw CommandFailure(.failed, "“\(path)” is there already, and is no bundle; it isn't replaced")
        }
    }

    /// A folder beside the target, to be filled.
    func makeDraft() throws -> FolderDraft {
        try check()
        var name = path
        while name.count > 1, name.hasSuffix("/") { name.removeLast() }
        return try FolderDraft(OutputTarget(path: name, overwrites: overwrites))
    }

    private var isBundle: Bool { access("\(path)/\(BundleManifest.fileName)", F_OK) == 0 }

    private var isEmpty: Bool { (try? FileManager.default.contentsOfDirectory(atPath: path).isEmpty) ?? false }
}
