import HTTPTypes
import MediaCacheAPI
import NIOCore
import NIOHTTP1

extension ResponseWriter {
    /// Answers with a problem details object (RFC 9457), after `fields`.
    func writeProblem(_ problem: Problem, _ fields: HTTPHeaders = HTTPHeaders()) {
        var fields = fields
        for field in problem.headerFields { fields.add(name: field.name.rawName, value: field.value) }
        let body = problem.json
        writeHead(HTTPResponseStatus(statusCode: problem.status), fields, contentLength: Int64(body.count))
        writeBody(ByteBuffer(bytes: body))
        finish()
    }
}
