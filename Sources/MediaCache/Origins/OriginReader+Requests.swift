import HTTPTypes

extension OriginReader {
    /// Sends requests until a response can be used.
    func reopen() async throws -> CheckedHead {
        while true {
            do {
                return try await sendRequest()
            } catch {
                try await recover(from: error)
            }
        }
    }

    func sendRequest() async throws -> CheckedHead {
        close()
        guard mayRequest() else {
            throw CacheError(.cancelled, "the request for \(exchange.locator.url) was cancelled: no reader needs it")
        }
        budget.began(at: context.time.monotonic)
        let overlap = overlapForNextRequest()
        let range: RequestedRange = head == nil && requested.isSuffix ? requested : .from(position - overlap, to: end)
        var conditions: HTTPFields = [:]
        if sendsRange {
            conditions[.range] = range.fieldValue
            if let known, !acceptsDifferentTag {
                conditions[.ifRange] = known.validator.strongEntityTag ?? known.validator.lastModified
            }
        }
        let confirming = head == nil ? confirming : nil
        if let validator = confirming?.validator {
            // A current version is confirmed with 304 (RFC 9110 §13.1.2 and §13.1.3).
            conditions[.ifNoneMatch] = validator.entityTag
            if validator.entityTag == nil { conditions[.ifModifiedSince] = validator.lastModified }
        }
        var (response, url) = try await exchange.send(conditions)
        // No range of an empty resource can be satisfied.
        let announced = response.headerFields[.contentRange].flatMap(ContentRange.init)?.completeLength ?? 0
        let isEmpty = response.status == 416 && announced == 0
        if let confirming, response.status == 304 || (isEmpty && confirming.length == 0) {
            response.body.cancel()
            unmodified = response.headerFields
            peer = response.peer
            end = position
            return CheckedHead(
                start: position, end: position, validator: confirming.validator, ignoredRange: false,
                headerFields: response.headerFields)
        }
        if known != nil || (confirming != nil && !adopts) {
            response = try await response.refusingPage(from: url, as: pipeline?.kind ?? .file, context: context)
        }
        func judge(
            _ known: KnownRepresentation?, orChanged: Bool = false
        ) throws(CacheError) -> ResponseCheck.Verdict {
            do throws(CacheError) {
                return try ResponseCheck.judge(
                    status: response.status, headerFields: response.headerFields, requested: sendsRange ? range : nil,
                    known: known, acceptsContentCodings: acceptsContentCodings, url: url, now: context.time.now)
            } catch {
                guard orChanged else { throw error }
                return .changed(nil)
            }
        }
        var verdict: ResponseCheck.Verdict
        do throws(CacheError) {
            hasChanged = false
            verdict = try judge(confirming ?? expected, orChanged: confirming != nil && adopts)
            if confirming != nil, case .changed = verdict {
                hasChanged = true
                verdict = try judge(nil)
            }
        } catch {
            response.body.cancel()
            if let end = try endFound(by: error) { return end }
            if error.code == .badResponse, let length = error.completeLength {
                // A single contradiction may be an error of the origin. If the same length is announced again, the
                // version has changed.
                if length == conflictingLength {
                    throw CacheError(.representationChanged, "\(url) has changed its length to \(length) bytes")
                }
                conflictingLength = length
            }
            throw error
        }
        switch verdict {
        case .use(let checked):
            location = url == exchange.locator.url ? nil : url.withoutUserInfo
            peer = response.peer
            begin(checked, body: response.body, overlap: overlap)
            return checked
        case .changed(let other):
            response.body.cancel()
            if context.settings.alternatingEntityTags == .compareBytes, !acceptsDifferentTag, comparable(position) > 0,
                let other, let length = known?.length, other.completeLength == length
            {
                acceptsDifferentTag = true
                return try await sendRequest()
            }
            throw CacheError(.representationChanged, "\(url) has changed at the origin")
        }
    }

    /// Returns a head if the error is a 416 response that marks the end of a version of unknown length; otherwise nil.
    /// Throws ``CacheError/Code/representationChanged`` if the resource has become shorter.
    private func endFound(by error: CacheError) throws -> CheckedHead? {
        guard error.status == 416, let known, known.length == nil, hasReturnedBytes || comparable(position) > 0 else {
            return nil
        }
        if let length = error.completeLength, length < position {
            throw CacheError(.representationChanged, "\(exchange.locator.url) has become shorter")
        }
        learnedLength = position
        end = position
        return CheckedHead(
            start: position, end: position, completeLength: position, validator: known.validator,
            ignoredRange: false, headerFields: [:])
    }

    /// The representation that a response must match; without the entity tag if tags alternate.
    private var expected: KnownRepresentation? {
        guard acceptsDifferentTag, let known else { return known }
        return KnownRepresentation(
            validator: Validator(lastModified: known.validator.lastModified), length: known.length)
    }

    private func overlapForNextRequest() -> Int64 {
        guard let known, acceptsDifferentTag || (known.validator.strongEntityTag == nil && isResuming) else { return 0 }
        return min(overlapLimit, comparable(position), position)
    }

    private func begin(_ checked: CheckedHead, body: any OriginBody, overlap: Int64) {
        if head == nil, requested.isSuffix {
            // The response determines the start of a suffix range.
            if case .suffix(let count) = requested, checked.start == 0, let length = checked.completeLength {
                position = max(0, length - count)
            } else {
                position = checked.start
            }
        }
        if checked.ignoredRange, acceptsWholeBody, head == nil {
            position = 0
            end = checked.completeLength
        }
        compareFrom = min(position, max(checked.start, position - overlap))
        head = checked
        mayBeStored = ResponseCheck.refusal(checked.headerFields, context.settings) == nil
        bodyFirst = position
        self.body = body
        bodyPosition = checked.start
        if let length = checked.completeLength ?? known?.length { end = min(end ?? length, length) }
        let watch = StallWatch(body: body, limit: context.settings.limits.stall, time: context.time)
        watch.start()
        self.watch = watch
    }
}
