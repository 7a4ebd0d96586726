/** Creates a client with the few REST calls of the demo, using only `fetch`. */
export function createDemoClient(base, token) {
  const headers = { authorization: `Token ${token}` }

  async function call(method, path, { json, form } = {}) {
    const body = form ?? (json && JSON.stringify(json))
    const type = json && { 'content-type': 'application/json' }
    const answer = await fetch(`${base}${path}`, { method, headers: { ...headers, ...type }, body })
    const text = await answer.text()
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text}`)
    return text === '' ? undefined : JSON.parse(text)
  }

  /** Waits for the end of a request and reports its progress. */
  async function finished({ rq_id }, report) {
    const path = `/requests/${encodeURIComponent(rq_id)}`
    for (;;) {
      const request = await call('GET', path)
      report(request.progress)
      if (request.status === 'finished') return request
      if (request.status === 'failed') throw new Error(request.message)
      await new Promise((resolve) => setTimeout(resolve, 150))
    }
  }

  async function download(url) {
    const answer = await fetch(url, { headers })
    if (!answer.ok) throw new Error(`GET ${url}: ${answer.status}`)
    return Buffer.from(await answer.arrayBuffer())
  }

  return { call, finished, download }
}
