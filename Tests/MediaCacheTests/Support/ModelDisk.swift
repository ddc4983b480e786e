import Foundation
import MediaCache
import TestSupport

/// A simulated disk with its current content and the content that would survive a power cut.
struct ModelDisk: Sendable {
    private struct Node {
        var bytes: [UInt8] = []
        var durable: [UInt8] = []
        /// The allocated bytes, without holes.
        var allocated = SpanMap()
        /// The ranges written or punched since the last sync, in order.
        var unsynced: [Range<Int>] = []

        init(durable: [UInt8]) {
            bytes = durable
            self.durable = durable
            allocated.insert(0..<Int64(durable.count))
        }

        mutating func sync() {
            if durable.count < bytes.count { durable += [UInt8](repeating: 0, count: bytes.count - durable.count) }
            for range in unsynced { durable[range] = bytes[range] }
            unsynced = []
        }
    }

    /// A change of file names that isn't durable yet.
    private enum NameChange {
        case add(path: String, node: Int)
        case remove(path: String)
        case move(from: String, to: String, node: Int)

        /// Returns the part of the change that a sync of a folder makes durable, and the rest. A move between folders
        /// consists of a change of each folder.
        func parts(in folder: String) -> (synced: NameChange?, rest: NameChange?) {
            func isInside(_ path: String) -> Bool { POSIXFileSystem.parent(of: path) == folder }
            switch self {
            case .add(let path, _), .remove(let path):
                return isInside(path) ? (self, nil) : (nil, self)
            case .move(let from, let to, let node):
                switch (isInside(from), isInside(to)) {
                case (true, true): return (self, nil)
                // The file is lost unless the other folder is synced, too.
                case (true, false): return (.remove(path: from), .add(path: to, node: node))
                // The old name may reappear.
                case (false, true): return (.add(path: to, node: node), .remove(path: from))
                case (false, false): return (nil, self)
                }
            }
        }

        func apply(to names: inout [String: Int]) {
            switch self {
            case .add(let path, let node): names[path] = node
            case .remove(let path): names[path] = nil
            case .move(let from, let to, let node):
                names[from] = nil
                names[to] = node
            }
        }
    }

    static let sector = 512

    /// The capacity in bytes.
    var capacity: Int64 = 1 << 50
    /// The maximum number of bytes used at any time.
    private(set) var peak: Int64 = 0
    /// The roots of mounted file systems.
    var mounts: [String] = []
    private var nodes: [Int: Node] = [:]
    private var names: [String: Int] = [:]
    private var durableNames: [String: Int] = [:]
    private var unsyncedNames: [NameChange] = []
    private var folders: Set<String> = ["/"]
    private var nextNode = 0

    // MARK: - Names

    mutating func open(_ path: String, creating: Bool) throws -> Int {
        if let node = names[path] { return node }
        guard creating, folders.contains(Self.parent(path)) else { throw Self.error("open", path, ENOENT) }
        nextNode += 1
        nodes[nextNode] = Node(durable: [])
        change(.add(path: path, node: nextNode))
        return nextNode
    }

    mutating func remove(_ path: String) {
        if names[path] != nil { change(.remove(path: path)) }
    }

    mutating func rename(_ source: String, to destination: String) throws {
        guard let node = names[source] else { throw Self.error("rename", source, ENOENT) }
        guard mount(source) == mount(destination) else { throw Self.error("rename", source, EXDEV) }
        change(.move(from: source, to: destination, node: node))
    }

    mutating func link(_ source: String, to destination: String) throws {
        guard let node = names[source] else { throw Self.error("link", source, ENOENT) }
        if names[destination] == nil { change(.add(path: destination, node: node)) }
    }

    func linkCount(of path: String) throws -> Int {
        guard let node = names[path] else { throw Self.error("stat", path, ENOENT) }
        return names.values.count { $0 == node }
    }

    mutating func makeFolder(_ path: String) {
        var path = path
        while folders.insert(path).inserted, path != "/" { path = Self.parent(path) }
    }

    func names(in folder: String) -> [String] {
        let all: [String] = Array(names.keys) + Array(folders)
        let inside = all.filter { path in path != folder && Self.parent(path) == folder }
        return inside.map { String($0.dropFirst(folder.count + 1)) }.sorted()
    }

    func exists(_ path: String) -> Bool { names[path] != nil || folders.contains(path) }

    mutating func syncFolder(_ folder: String) {
        var rest: [NameChange] = []
        for change in unsyncedNames {
            let parts = change.parts(in: folder)
            parts.synced?.apply(to: &durableNames)
            if let change = parts.rest { rest.append(change) }
        }
        unsyncedNames = rest
    }

    /// Makes the bytes and names on the file systems of `paths` durable.
    mutating func syncFileSystems(of paths: [String]) {
        let mounts = Set(paths.map(mount))
        for (path, node) in names where mounts.contains(mount(path)) { sync(node) }
        for folder in folders where mounts.contains(mount(folder)) { syncFolder(folder) }
    }

    mutating func replace(_ path: String, with bytes: [UInt8]) throws {
        guard folders.contains(Self.parent(path)) else { throw Self.error("replace", path, ENOENT) }
        nextNode += 1
        nodes[nextNode] = Node(durable: bytes)
        change(.add(path: path, node: nextNode))
        syncFolder(Self.parent(path))
    }

    func contents(of path: String) throws -> [UInt8] {
        guard let node = names[path] else { throw Self.error("open", path, ENOENT) }
        return nodes[node]?.bytes ?? []
    }

    /// All files by path.
    var paths: [String] { names.keys.sorted() }

    private mutating func change(_ change: NameChange) {
        change.apply(to: &names)
        unsyncedNames.append(change)
    }

    private func mount(_ path: String) -> String {
        mounts.filter { path.hasPrefix($0) }.max { $0.count < $1.count } ?? "/"
    }

    private static func parent(_ path: String) -> String { POSIXFileSystem.parent(of: path) }

    private static func error(_ call: String, _ path: String, _ number: Int32) -> SystemError {
        SystemError(call: call, path: path, number: number)
    }

    // MARK: - Bytes

    /// The space used by files that have a name.
    var usedBytes: Int64 { Set(names.values).reduce(0) { $0 + (nodes[$1]?.allocated.byteCount ?? 0) } }

    var freeBytes: Int64 { max(0, capacity - usedBytes) }

    mutating func write(_ bytes: [UInt8], at offset: Int, in node: Int) throws {
        let end = offset + bytes.count
        let before = nodes[node]?.allocated
        nodes[node]?.allocated.insert(Int64(offset)..<Int64(end))
        guard usedBytes <= capacity else {
            if let before { nodes[node]?.allocated = before }
            throw Self.error("write", "", ENOSPC)
        }
        defer { peak = max(peak, usedBytes) }
        if let size = nodes[node]?.bytes.count, size < end {
            nodes[node]?.bytes += [UInt8](repeating: 0, count: end - size)
        }
        nodes[node]?.bytes.replaceSubrange(offset..<end, with: bytes)
        nodes[node]?.unsynced.append(offset..<end)
    }

    mutating func punch(_ range: Range<Int>, in node: Int) {
        let range = range.clamped(to: 0..<size(node))
        nodes[node]?.bytes.replaceSubrange(range, with: repeatElement(0, count: range.count))
        nodes[node]?.allocated.remove(Int64(range.lowerBound)..<Int64(range.upperBound))
        nodes[node]?.unsynced.append(range)
    }

    mutating func sync(_ node: Int) { nodes[node]?.sync() }

    func size(_ node: Int) -> Int { nodes[node]?.bytes.count ?? 0 }

    func bytes(in range: Range<Int>, of node: Int) -> [UInt8] {
        guard let bytes = nodes[node]?.bytes, range.upperBound <= bytes.count else { return [] }
        return Array(bytes[range])
    }

    /// Returns a file's bytes after the worst possible power cut, or nil if its name would be lost.
    func durableBytes(of path: String) -> [UInt8]? {
        durableNames[path].flatMap { nodes[$0]?.durable }
    }

    /// Changes a file's current and durable bytes without a write, as damage does.
    mutating func damage(_ path: String, _ body: (inout [UInt8]) -> Void) {
        guard let node = names[path], var bytes = nodes[node]?.bytes else { return }
        body(&bytes)
        nodes[node] = Node(durable: bytes)
    }

    // MARK: - Power cuts

    /// Returns the disk after a power cut, in which unsynced changes are lost, preserved or torn at random.
    func afterPowerCut(_ random: inout SeededGenerator) -> ModelDisk {
        var disk = self
        disk.names = durableNames
        let nameMode = Int.random(in: 0..<4, using: &random)
        let prefix = Int.random(in: 0...unsyncedNames.count, using: &random)
        for (index, change) in unsyncedNames.enumerated() {
            let survives = [false, true, index < prefix, Bool.random(using: &random)][nameMode]
            if survives { change.apply(to: &disk.names) }
        }
        let byteMode = Int.random(in: 0..<4, using: &random)
        // Sorted, so that seeds are reproducible.
        for node in nodes.keys.sorted() {
            disk.nodes[node] = nodes[node].map { Self.torn($0, mode: byteMode, &random) }
        }
        let named = Set(disk.names.values)
        disk.nodes = disk.nodes.filter { named.contains($0.key) }
        disk.durableNames = disk.names
        disk.unsyncedNames = []
        return disk
    }

    private static func torn(_ node: Node, mode: Int, _ random: inout SeededGenerator) -> Node {
        var found = node.durable
        let size = Bool.random(using: &random) || mode == 1 ? node.bytes.count : node.durable.count
        if found.count < size { found += [UInt8](repeating: 0, count: size - found.count) }
        let prefix = Int.random(in: 0...node.unsynced.count, using: &random)
        for (index, range) in node.unsynced.enumerated() where mode == 1 || mode == 3 || (mode == 2 && index <= prefix)
        {
            for start in stride(from: range.lowerBound / sector * sector, to: range.upperBound, by: sector) {
                let part = (start..<start + sector).clamped(to: range).clamped(to: 0..<size)
                let isTorn = mode == 3 || (mode == 2 && index == prefix)
                if part.isEmpty || (isTorn && Bool.random(using: &random)) { continue }
                found.replaceSubrange(part, with: node.bytes[part])
            }
        }
        return Node(durable: found)
    }
}
