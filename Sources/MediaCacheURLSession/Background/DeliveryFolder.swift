import Foundation
import HTTPTypes
import MediaCache

/// What the system brought and the store hasn't taken yet: each delivery a body and, beside it, what came with it. It
/// outlives the app, which the system may end between the two.
struct DeliveryFolder: Sendable {
    /// What came with a body.
    struct Record: Sendable, Hashable, Codable {
        var wish: BackgroundWish
        var status: Int
        /// Names and values, in turn.
        var fields: [String]
        /// Where redirects led to, if to another place.
        var location: String?
        /// When it came.
        var received: Date

        init(wish: BackgroundWish, status: Int, headerFields: HTTPFields, location: String?, received: Date) {
            self.wish = wish
            self.status = status
            fields = headerFields.flatMap { [$0.name.rawName, $0.value] }
            self.location = location
            self.received = received
        }
    }

    private static let bodyExtension = "body"
    private static let recordExtension = "json"

    private let folder: URL

    /// Where those of a session lie unless somebody says otherwise.
    static func path(of identifier: String) -> String {
        let caches = FileManager.default.urls(for: .cachesDirectory, in: .userDomainMask).first
        return (caches ?? FileManager.default.temporaryDirectory)
            .appending(path: "MediaCacheURLSession/\(identifier)").path
    }

    /// Opens a folder, made where there is none. Bodies that nothing came with are of an app that was ended too soon; they
    /// are removed, so it's to be opened before anything is delivered.
    ///
    /// - Throws: `CacheError` with `storage`.
    init(_ path: String) throws {
        folder = URL(filePath: path, directoryHint: .isDirectory)
        do {
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            let known = Set(try names())
            for file in try files(Self.bodyExtension) {
                let name = file.deletingPathExtension().lastPathComponent
                if !known.contains(name) { try FileManager.default.removeItem(at: file) }
            }
        } catch {
            throw CacheError(.storage, "the folder \(path) can't be used for what the system brings", cause: error)
        }
    }

    /// Moves a body here; `file` is gone from its place when this returns.
    ///
    /// - Throws: `CacheError` with `storage`.
    func add(_ file: URL, _ record: Record) throws {
        let name = UUID().uuidString
        do {
            try FileManager.default.moveItem(at: file, to: url(name, Self.bodyExtension))
            try JSONEncoder().encode(record).write(to: url(name, Self.recordExtension), options: .atomic)
        } catch {
            throw CacheError(.storage, "what came of \(record.wish.url) can't be moved to \(folder.path)", cause: error)
        }
    }

    /// The deliveries' names.
    func names() throws -> [String] {
        try files(Self.recordExtension).map { $0.deletingPathExtension().lastPathComponent }.sorted()
    }

    /// What came with a delivery, and its body's path; nil where either can't be read.
    func delivery(_ name: String) -> (record: Record, path: String)? {
        let body = url(name, Self.bodyExtension).path
        guard let data = try? Data(contentsOf: url(name, Self.recordExtension)),
            let record = try? JSONDecoder().decode(Record.self, from: data),
            FileManager.default.fileExists(atPath: body)
        else { return nil }
        return (record, body)
    }

    /// Removes a delivery; a body whose record is gone is removed by the next opening at the latest.
    func remove(_ name: String) {
        try? FileManager.default.removeItem(at: url(name, Self.recordExtension))
        try? FileManager.default.removeItem(at: url(name, Self.bodyExtension))
    }

    private func url(_ name: String, _ ending: String) -> URL { folder.appending(path: "\(name).\(ending)") }

    private func files(_ ending: String) throws -> [URL] {
        try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
            .filter { $0.pathExtension == ending }
    }
}

extension DeliveryFolder.Record {
    /// The response that it's of.
    ///
    /// - Throws: `CacheError` with `invalidURL`.
    func response(_ path: String) throws -> DeliveredResponse {
        var named = HTTPFields()
        for index in stride(from: 0, to: fields.count - 1, by: 2) {
            guard let name = HTTPField.Name(fields[index]) else { continue }
            named.append(HTTPField(name: name, value: fields[index + 1]))
        }
        return DeliveredResponse(
            url: try ResourceURL(wish.url), asked: wish.range, status: status, headerFields: named,
            location: try location.map { try ResourceURL($0) }, file: path, received: received)
    }
}
