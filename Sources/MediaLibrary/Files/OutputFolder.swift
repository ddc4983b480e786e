internal import Foundation
internal import MediaContainers

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#elseif canImport(Darwin)
    internal import Darwin
#endif

/// The path of an output folder. The folder only appears there once it's complete.
public struct OutputFolder: Sendable, Hashable {
    /// The path.
    public var path: String
    /// Whether an existing bundle or empty folder may be replaced.
    public var overwrites: Bool

    /// Creates a target.
    public init(path: String, overwrites: Bool) {
        self.path = path
        self.overwrites = overwrites
    }

    /// Checks that nothing exists at the path, or only a folder that may be replaced.
    ///
    /// - Throws: ``MediaJobError`` with `outputExists` if replacing isn't allowed, or `failed` for anything other than
    ///   a bundle or an empty folder.
    public func check() throws {
        guard access(path, F_OK) == 0 else { return }
        guard overwrites else { throw MediaJobError(.outputExists, "“\(path)” already exists") }
        guard isBundle || isEmpty else {
            throw MediaJobError(.failed, "“\(path)” already exists and isn't a bundle, so it isn't replaced")
        }
    }

    func makeDraft() throws -> FolderDraft {
        try check()
        var name = path
        while name.count > 1, name.hasSuffix("/") { name.removeLast() }
        return try FolderDraft(OutputFolder(path: name, overwrites: overwrites))
    }

    private var isBundle: Bool { access("\(path)/\(BundleManifest.fileName)", F_OK) == 0 }

    private var isEmpty: Bool { (try? FileManager.default.contentsOfDirectory(atPath: path).isEmpty) ?? false }
}

/// A folder that is filled under a temporary name, and renamed to its target once it's complete.
struct FolderDraft {
    private let output: OutputFolder
    private let target: OutputTarget
    private let path: String

    /// Creates the temporary folder of a target whose path has no trailing slash.
    init(_ output: OutputFolder) throws {
        self.output = output
        target = OutputTarget(path: output.path, overwrites: output.overwrites)
        path = target.temporaryName()
        guard mkdir(path, 0o755) == 0 else { throw target.failure("create", target.path) }
    }

    func write(_ bytes: [UInt8], to name: String) throws {
        try bytes.withUnsafeBytes { try file(name).write($0, at: 0) }
    }

    func file(_ name: String) throws -> FileSink { try FileSink(path: try place(of: name)) }

    func remove(_ name: String) { unlink("\(path)/\(name)") }

    /// Copies a cached file into the folder, and returns its length in bytes; see ``FileCopy``.
    func copy(_ source: String, to name: String) throws -> Int64 {
        let place = try place(of: name)
        _ = try FileCopy(of: source, to: OutputTarget(path: place, overwrites: false)).make()
        var status = stat()
        guard stat(place, &status) == 0 else { throw target.failure("read", place) }
        return Int64(status.st_size)
    }

    /// Renames the folder to its target, which may have been created or changed while the folder was filled.
    func moveToTarget() throws {
        try output.check()
        // rename(2) fails if a file or a folder with content has been created since the check.
        guard output.overwrites, access(target.path, F_OK) == 0 else {
            guard rename(path, target.path) == 0 else { throw target.failure("write", target.path) }
            return
        }
        let old = target.temporaryName()
        guard rename(target.path, old) == 0 else { throw target.failure("replace", target.path) }
        guard rename(path, target.path) == 0 else {
            let failure = target.failure("write", target.path)
            rename(old, target.path)
            throw failure
        }
        try? FileManager.default.removeItem(atPath: old)
    }

    /// Removes the temporary folder, unless it was renamed.
    func remove() { try? FileManager.default.removeItem(atPath: path) }

    private func place(of name: String) throws -> String {
        let pieces = name.split(separator: "/", omittingEmptySubsequences: false)
        guard !pieces.contains(where: { $0.isEmpty || $0 == "." || $0 == ".." }) else {
            throw MediaJobError(.failed, "“\(name)” can't be used as a path within the output folder")
        }
        if pieces.count > 1 {
            try FileManager.default.createDirectory(
                atPath: "\(path)/\(pieces.dropLast().joined(separator: "/"))", withIntermediateDirectories: true)
        }
        return "\(path)/\(name)"
    }
}
