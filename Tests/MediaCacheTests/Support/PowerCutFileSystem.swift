import Foundation
import MediaCache
import Synchronization
import TestSupport

/// An in-memory file system that tracks synced bytes. Power can be cut at any call except `open` and `read`. Depending
/// on the seed, unsynced changes are then lost, preserved or torn.
final class PowerCutFileSystem: BlobFileSystem {
    /// Calls that change the disk, and other calls that tests can make fail.
    enum Call: Sendable, Hashable {
        case open, read, write, sync, punch, remove, rename, link, syncFolder, syncFileSystem, replace, makeFolder
    }

    private struct Cut {
        var operation: Int
        var seed: UInt64
        var andThen: @Sendable () throws -> Void
    }

    private struct State {
        var disk = ModelDisk()
        var operations = 0
        var cut: Cut?
        var survivor: ModelDisk?
        var cutError: (any Error)?
        var fault: (@Sendable (Call, String) -> Int32?)?
        var beforeFailedSync: (@Sendable () -> Void)?
        var beforeRemoval: (@Sendable (String) -> Void)?
        var trace: [(call: Call, path: String)] = []
    }

    private let state: Mutex<State>
    /// Whether files and folders are synced by syncing their file systems.
    private let syncsFileSystems: Bool

    init(_ disk: ModelDisk = ModelDisk(), syncsFileSystems: Bool = false) {
        state = Mutex(State(disk: disk))
        self.syncsFileSystems = syncsFileSystems
    }

    /// Cuts the power right before a call, counted from 1 without `open` and `read`. `andThen` runs while no call is in
    /// progress. Later calls on the old disk have no effect on the survivor.
    func cutPower(atOperation operation: Int, seed: UInt64, andThen: @escaping @Sendable () throws -> Void) {
        state.withLock { $0.cut = Cut(operation: $0.operations + operation, seed: seed, andThen: andThen) }
    }

    /// Cuts the power that ``cutPower(atOperation:seed:andThen:)`` would cut later. Does nothing if it has already been
    /// cut.
    func cutPowerNow() {
        state.withLock { Self.cut(&$0) }
    }

    var isCut: Bool { state.withLock { $0.survivor != nil } }

    /// Returns the file system after the cut. Throws an error if there was no cut, or the error of `andThen`.
    func survivor() throws -> PowerCutFileSystem {
        try state.withLock { state in
            if let error = state.cutError { throw error }
            guard let disk = state.survivor else { throw SystemError(call: "cut", path: "", number: EINVAL) }
            return PowerCutFileSystem(disk, syncsFileSystems: syncsFileSystems)
        }
    }

    /// Sets a function that returns the error number of a call, or nil for success.
    func fail(_ fault: (@Sendable (Call, String) -> Int32?)?) {
        state.withLock { $0.fault = fault }
    }

    /// Sets work that runs before a file is removed, on the thread of the call.
    func beforeRemoval(_ work: (@Sendable (String) -> Void)?) { state.withLock { $0.beforeRemoval = work } }

    /// Makes the next sync of a file fail after running `work` on its thread, which may use the files.
    func failSync(after work: @escaping @Sendable () -> Void) {
        state.withLock { $0.beforeFailedSync = work }
    }

    fileprivate func sync(_ node: Int, _ path: String) throws {
        let work = state.withLock { state in
            defer { state.beforeFailedSync = nil }
            return state.beforeFailedSync
        }
        if let work {
            work()
            throw SystemError(call: "sync", path: path, number: EIO)
        }
        try perform(.sync, path) { $0.sync(node) }
    }

    /// The calls so far except `open`, `read` and injected failures.
    var trace: [(call: Call, path: String)] { state.withLock { $0.trace } }

    func withDisk<R: Sendable>(_ body: (inout ModelDisk) throws -> R) rethrows -> R {
        try state.withLock { try body(&$0.disk) }
    }

    /// Performs a call on the disk.
    fileprivate func perform<R: Sendable>(
        _ call: Call, _ path: String, _ body: (inout ModelDisk) throws -> R
    ) throws -> R {
        try state.withLock { state in
            if let number = state.fault?(call, path) {
                throw SystemError(call: "\(call)", path: path, number: number)
            }
            if call != .read, call != .open {
                state.operations += 1
                state.trace.append((call, path))
                if let cut = state.cut, state.operations >= cut.operation { Self.cut(&state) }
            }
            return try body(&state.disk)
        }
    }

    private static func cut(_ state: inout State) {
        guard let cut = state.cut, state.survivor == nil else { return }
        var random = SeededGenerator(seed: cut.seed)
        state.survivor = state.disk.afterPowerCut(&random)
        do { try cut.andThen() } catch { state.cutError = error }
    }

    // MARK: - BlobFileSystem

    func open(_ path: String, creating: Bool) throws -> any BlobFile {
        let node = try perform(.open, path) { try $0.open(path, creating: creating) }
        return PowerCutFile(files: self, node: node, path: path)
    }

    func remove(_ path: String) throws {
        state.withLock { $0.beforeRemoval }?(path)
        try perform(.remove, path) { $0.remove(path) }
    }
    func rename(_ source: String, to destination: String) throws {
        try perform(.rename, source) { try $0.rename(source, to: destination) }
    }
    func link(_ source: String, to destination: String) throws {
        try perform(.link, destination) { try $0.link(source, to: destination) }
    }
    func linkCount(of path: String) throws -> Int { try withDisk { try $0.linkCount(of: path) } }
    func makeFolder(_ path: String) throws { try perform(.makeFolder, path) { $0.makeFolder(path) } }
    func syncFolder(_ path: String) throws { try perform(.syncFolder, path) { $0.syncFolder(path) } }
    func sync(_ files: [any BlobFile], folders: Set<String>) -> SyncFailures {
        let open = files.compactMap { $0 as? PowerCutFile }
        guard syncsFileSystems, let path = open.first?.path ?? folders.first else {
            return syncEach(files, folders: folders)
        }
        do {
            try perform(.syncFileSystem, path) { disk in
                for file in open { disk.sync(file.node) }
                disk.syncFileSystems(of: open.map(\.path) + folders)
            }
            return SyncFailures()
        } catch {
            return syncEach(files, folders: folders)
        }
    }
    func names(in folder: String) throws -> [String] { withDisk { $0.names(in: folder) } }
    func exists(_ path: String) -> Bool { withDisk { $0.exists(path) } }
    func freeBytes(at path: String) throws -> Int64 { withDisk { $0.freeBytes } }
    func replace(_ path: String, with bytes: [UInt8]) throws {
        try perform(.replace, path) { try $0.replace(path, with: bytes) }
    }
    func contents(of path: String) throws -> [UInt8] {
        try perform(.read, path) { try $0.contents(of: path) }
    }
}

/// An open file of the simulated disk.
private final class PowerCutFile: BlobFile {
    private let files: PowerCutFileSystem
    fileprivate let node: Int
    fileprivate let path: String

    init(files: PowerCutFileSystem, node: Int, path: String) {
        self.files = files
        self.node = node
        self.path = path
    }

    func write(_ bytes: UnsafeRawBufferPointer, at offset: Int64) throws {
        let bytes = Array(bytes)
        try files.perform(.write, path) { try $0.write(bytes, at: Int(offset), in: node) }
    }

    func sync() throws { try files.sync(node, path) }

    func punch(_ range: Range<Int64>) throws {
        try files.perform(.punch, path) { $0.punch(Int(range.lowerBound)..<Int(range.upperBound), in: node) }
    }

    func size() throws -> Int64 { files.withDisk { Int64($0.size(node)) } }

    func readWithoutBlocking(into buffer: UnsafeMutableRawBufferPointer, at offset: Int64) throws -> Bool { false }

    func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int64) throws {
        let (count, range) = (buffer.count, Int(offset)..<Int(offset) + buffer.count)
        let bytes = try files.perform(.read, path) { $0.bytes(in: range, of: node) }
        guard bytes.count == count else { throw SystemError(call: "read", path: path, number: EIO) }
        buffer.copyBytes(from: bytes)
    }
}
