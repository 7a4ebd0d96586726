/** The few calls of the REST API that the demo needs, with nothing but `fetch`. */
export function client(base, token) {
  const headers = { authorization: `Token ${token}` }

  async function call(method, path, { json, form } = {}) {
    const body = form ?? (json && JSON.stringify(json))
    const type = json && { 'content-type': 'application/json' }
    const answer = await fetch(`${base}${path}`, { method, headers: { ...headers, ...type }, body })
    const text = await answer.text()
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text}`)
    return text === '' ? undefined : JSON.parse(text)
  }

  /** Follows a request to its end, telling how far it is. */
  async function finished({ rq_id }, tell) {
    const path = `/requests/${encodeURIComponent(rq_id)}`
    for (;;) {
      const request = await call('GET', path)
      tell(request.progress)
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
