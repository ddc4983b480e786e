internal import Foundation
package import MediaContainers

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#elseif canImport(Darwin)
    internal import Darwin
#endif

/// The path of an output file. The file only appears there once it's complete.
public struct OutputTarget: Sendable, Hashable {
    /// The path.
    public var path: String
    /// Whether an existing file may be replaced.
    public var overwrites: Bool

    /// Creates a target.
    public init(path: String, overwrites: Bool) {
        self.path = path
        self.overwrites = overwrites
    }

    /// Checks that the output can be written, before a job begins.
    ///
    /// - Throws: ``MediaJobError`` with `outputExists`, or with the reason reported by the system.
    public func check() throws {
        if !overwrites, access(path, F_OK) == 0 { throw exists }
        guard access(folder.isEmpty ? "." : folder, W_OK | X_OK) == 0 else { throw failure("write", path) }
    }

    /// Creates the missing folders of the path.
    ///
    /// - Throws: ``MediaJobError`` with the reason reported by the system.
    public func makeFolders() throws {
        for slash in folder.indices.dropFirst() where folder[slash] == "/" {
            let path = String(folder[..<slash])
            guard mkdir(path, 0o777) == 0 || errno == EEXIST else { throw failure("create the folder", path) }
        }
    }

    /// Returns a new path in the target's folder, so that the file can be renamed to the target.
    package func temporaryName() -> String {
        "\(folder).mediacache-\(getpid())-\(String(UInt32.random(in: 0 ... .max), radix: 16)).part"
    }

    /// Renames a temporary file to the target. If that fails, the temporary file remains.
    func moveToTarget(_ temporary: String) throws {
        // The file gets the permissions of any new file that the user creates.
        let mask = umask(0)
        umask(mask)
        chmod(temporary, 0o666 & ~mask)
        if overwrites {
            // If both names are links to one file, rename(2) does nothing and keeps both. The target is complete in
            // that case.
            guard rename(temporary, path) == 0 else { throw failure("write", path) }
        } else if link(temporary, path) != 0 {
            if errno == EEXIST { throw exists }
            // Without hard links, rename would replace a file created since `check()`, so its absence is checked again.
            guard access(path, F_OK) != 0, rename(temporary, path) == 0 else { throw failure("write", path) }
        }
    }

    /// Returns an error with the reason why the last system call failed (`errno`).
    func failure(_ action: String, _ path: String) -> MediaJobError {
        MediaJobError(.failed, "can't \(action) “\(path)”: \(String(cString: strerror(errno)))")
    }

    private var exists: MediaJobError { MediaJobError(.outputExists, "“\(path)” already exists") }

    /// The path up to its last slash, including it; empty for a path without a slash.
    private var folder: String { path.lastIndex(of: "/").map { String(path[...$0]) } ?? "" }
}

/// An output file that is written under a temporary name, and renamed to its target once it's complete.
package final class OutputFile: RandomAccessSink, ByteSink {
    private let target: OutputTarget
    /// The temporary path, for another program that writes the file.
    package let path: String
    private let file: FileSink
    private var position: Int64 = 0
    /// The end of the bytes whose writeback to disk has been started.
    private var started: Int64 = 0
    private static let stride: Int64 = 8 << 20

    package init(_ target: OutputTarget) throws {
        try target.check()
        self.target = target
        path = target.temporaryName()
        do {
            file = try FileSink(path: path)
        } catch {
            throw MediaJobError(error, of: target.path)
        }
    }

    // After `moveToTarget()`, the temporary name only exists if it's another link to the output.
    deinit { unlink(path) }

    package func write(_ bytes: UnsafeRawBufferPointer) throws(ContainerError) {
        try write(bytes, at: position)
        position += Int64(bytes.count)
    }

    package func write(_ bytes: UnsafeRawBufferPointer, at offset: Int64) throws(ContainerError) {
        try file.write(bytes, at: offset)
        let end = offset + Int64(bytes.count)
        guard end - started >= Self.stride else { return }
        file.startWriting(started..<end)
        started = end
    }

    package func read(at offset: Int64, into buffer: UnsafeMutableRawBufferPointer) throws(ContainerError) -> Int {
        try file.read(at: offset, into: buffer)
    }

    /// Syncs the file and renames it to its target.
    package func moveToTarget() throws {
        do {
            try file.synchronize()
        } catch {
            throw MediaJobError(error, of: target.path)
        }
        try target.moveToTarget(path)
    }

    package static func write(_ bytes: [UInt8], to target: OutputTarget) async throws {
        try await MediaJob.run(on: target.path) { _ in
            let file = try OutputFile(target)
            try bytes.withUnsafeBytes { (bytes: UnsafeRawBufferPointer) in try file.write(bytes) }
            try file.moveToTarget()
        }
    }
}
