/** @typedef {Record<string, any>} Json */
/** @typedef {ReturnType<typeof createDemoClient>} DemoClient */

/**
 * Creates a client with the few REST calls of the demo, using only `fetch`.
 * @param {string} base
 * @param {string} token
 */
export function createDemoClient(base, token) {
  const headers = { authorization: `Token ${token}` }

  /**
   * @param {string} method
   * @param {string} path
   * @param {{json?: Json, form?: FormData}} given
   * @returns {Promise<Json>} the body, empty if there is none
   */
  async function call(method, path, { json, form } = {}) {
    const body = form ?? (json && JSON.stringify(json))
    const type = json && { 'content-type': 'application/json' }
    const answer = await fetch(`${base}${path}`, { method, headers: { ...headers, ...type }, body })
    const text = await answer.text()
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text}`)
    return text === '' ? {} : JSON.parse(text)
  }

  /**
   * Waits for the end of a request and reports its progress.
   * @param {Json} started
   * @param {(share: number) => void} report
   */
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

  /** @param {string} url */
  async function download(url) {
    const answer = await fetch(url, { headers })
    if (!answer.ok) throw new Error(`GET ${url}: ${answer.status}`)
    return Buffer.from(await answer.arrayBuffer())
  }

  return { call, finished, download }
}
