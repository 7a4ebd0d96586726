import { UnexpectedAnswer } from '../responses/errors.ts'
import { readJson } from '../responses/json.ts'
import { type CallInput, callOperation, type NamedOperation } from './call.ts'
import type { CallOptions } from './options.ts'
import { sendRequest } from './send.ts'
import { type ClientSettings, pathOf } from './settings.ts'

/** Page of a list. */
export interface Page<R> {
  /** Number of items on all pages. */
  count: number
  next: string | null
  previous: string | null
  results: R[]
}

/** Default page size of the client: fewer calls than with the default of the service (10). */
const usualPageSize = 100

/** Yields every item of a list; the next page is requested after the items of the current one. */
export async function* eachItem(
  settings: ClientSettings,
  named: NamedOperation,
  input: CallInput = {},
  options: CallOptions = {},
): AsyncGenerator<unknown, void, undefined> {
  let page = pageOf(
    named,
    await callOperation(settings, named, { page_size: usualPageSize, ...input }, options),
  )
  for (;;) {
    yield* page.results
    if (page.next === null) return
    page = await nextPage(settings, named, pathOf(page.next), options)
  }
}

async function nextPage(
  settings: ClientSettings,
  named: NamedOperation,
  path: string,
  { signal, retries, organization, headers }: CallOptions,
) {
  const scope = organization === undefined ? undefined : { 'x-organization': organization }
  const sent = {
    operation: named.name,
    method: 'GET',
    headers: { ...scope, ...headers },
    isRepeatable: true,
    path,
    signal,
    retries,
  }
  const page = await sendRequest(settings, sent, (answer) => readJson<unknown>(named.name, answer))
  return pageOf(named, page)
}

function pageOf(
  { name }: NamedOperation,
  page: unknown,
): { results: unknown[]; next: string | null } {
  const member = (key: string): unknown =>
    typeof page === 'object' && page !== null ? Reflect.get(page, key) : undefined
  const [results, next] = [member('results'), member('next')]
  if (!Array.isArray(results)) throw new UnexpectedAnswer(name, 'a page without results')
  return { results, next: typeof next === 'string' ? next : null }
}
