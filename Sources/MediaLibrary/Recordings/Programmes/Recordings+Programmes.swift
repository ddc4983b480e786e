package import MediaCache

extension Recordings {
    /// Pins a window of a channel as a programme. The window may be in the future.
    ///
    /// - Throws: `CacheError`: `notFound`; `invalidSetting` if the end isn't after the start; `storage`.
    @discardableResult
    public func addProgramme(_ programme: Programme, to name: ChannelName) async throws -> Programme {
        guard programme.to > programme.from else {
            throw CacheError(.invalidSetting, "the programme “\(programme.name)” must end after its start")
        }
        return try await changes.runUncancelled {
            let recording = try require(name)
            try await recording.change { $0.programmes.append(programme) }
            for export in programme.exports { hub.send(.export(name, programme: programme.id, export)) }
            await recording.exportFinishedProgrammes()
            return programme
        }
    }

    /// Removes a programme and its exports. Its segments are subject to the channel's retention again.
    ///
    /// - Throws: `CacheError` with `notFound` or `storage`.
    public func removeProgramme(_ id: String, from name: ChannelName) async throws {
        let recording = try await changes.runUncancelled {
            let recording = try require(name)
            let programme = try await Self.programme(id, of: recording)
            try await recording.change { $0.programmes.removeAll { $0.id == id } }
            try await removeExports(of: programme)
            return recording
        }
        await recording.retentionChanged()
    }

    /// Exports a programme after its end, or immediately if it has ended. A failed or cancelled export is retried. A
    /// pending or finished export isn't changed.
    ///
    /// - Returns: The programme, and whether it had no export in this format before.
    /// - Throws: `CacheError` with `notFound` or `storage`.
    public func export(
        _ id: String, of name: ChannelName, as format: ProgrammeFormat
    ) async throws -> (programme: Programme, isNew: Bool) {
        return try await changes.runUncancelled {
            let recording = try require(name)
            let known = try await Self.programme(id, of: recording)[format]
            try await recording.change { channel in
                guard let index = channel.programmes.firstIndex(where: { $0.id == id }) else { return }
                switch channel.programmes[index][format]?.state {
                case nil, .failed, .cancelled: channel.programmes[index][format] = ProgrammeExport(format)
                case .waiting, .running, .done: break
                }
            }
            let programme = try await Self.programme(id, of: recording)
            if let export = programme[format], export != known { hub.send(.export(name, programme: id, export)) }
            await recording.exportFinishedProgrammes()
            return (programme, known == nil)
        }
    }

    /// Cancels an unfinished export, or removes a finished, failed or cancelled one with its file.
    ///
    /// - Throws: `CacheError`: `notFound` if there is no such channel, programme or export; `storage`.
    public func removeExport(_ format: ProgrammeFormat, of id: String, in name: ChannelName) async throws {
        try await changes.runUncancelled {
            let recording = try require(name)
            guard try await Self.programme(id, of: recording)[format] != nil else {
                throw CacheError(.notFound, "the programme \(id) of \(name) has no \(format.rawValue) export")
            }
            try await recording.change { channel in
                guard let index = channel.programmes.firstIndex(where: { $0.id == id }) else { return }
                switch channel.programmes[index][format]?.state {
                case .waiting, .running: channel.programmes[index][format]?.state = .cancelled
                case nil, .done, .failed, .cancelled: channel.programmes[index][format] = nil
                }
            }
            await exports.cancel(id, format)
            try await exports.folder.remove(ExportFolder.name(id, format))
            if let export = await recording.programme(id)?[format] { hub.send(.export(name, programme: id, export)) }
        }
    }

    /// Opens the file of a programme's export; returns nil if it doesn't exist.
    ///
    /// - Throws: `CacheError` with `storage`.
    package nonisolated func file(of programme: Programme, as format: ProgrammeFormat) async throws -> SideFile? {
        try await exports.folder.open(ExportFolder.name(programme.id, format))
    }

    /// Cancels the exports of a removed programme and deletes their files.
    func removeExports(of programme: Programme) async throws {
        await exports.cancel(programme.id)
        for export in programme.exports {
            try await exports.folder.remove(ExportFolder.name(programme.id, export.format))
        }
    }

    private static func programme(_ id: String, of recording: Recording) async throws -> Programme {
        let channel = await recording.channel
        guard let programme = channel.programmes.first(where: { $0.id == id }) else {
            throw CacheError(.notFound, "the channel \(channel.name) has no programme \(id)")
        }
        return programme
    }
}
