import type { AnyJson, ApiResponse } from '../../support/client.ts'
import type { FuzzCall } from './calls.ts'
import type { Known } from './values.ts'

/** Number of the latest objects of a kind that are remembered, besides the first. */
const most = 8

/** Deleting one of these deletes most other objects too. */
const roots = new Set(['project', 'task', 'organization', 'user'])

/** Kind of the objects of a path: `/auth/access_tokens` has access tokens. */
const kindOf = (path: string): string =>
  path
    .replace(/\/(?:\{\w+\})?$/, '')
    .replace(/^.*\//, '')
    .replace(/s$/, '')

/** Remembers objects that a call has created, so that later calls use them. */
export function rememberObjects(
  own: Known,
  { operation, as }: FuzzCall,
  { status, headers, body }: ApiResponse,
): void {
  if (as !== 'owner' && as !== 'password') return
  const remember = (kind: string, value: AnyJson) => {
    if (value === undefined || value === null) return
    const [first = value, ...others] = own[kind] ?? []
    own[kind] = first === value ? [value] : [first, ...[...others, value].slice(-most)]
  }
  if (status === 202) remember('rq', body?.rq_id)
  if (status !== 201) return
  const file = headers.get('location')?.split('/').at(-1)
  remember(`${operation.path.replace(/\/$/, '')}/{file_id}`, file)
  remember('key', body?.key)
  remember('uuid', body?.uuid)
  remember(kindOf(operation.path), body?.id)
}

/** Forgets objects that a call has deleted; returns true if too few are left. */
export function forgetObject(
  own: Known,
  { operation, url, method }: FuzzCall,
  { status }: ApiResponse,
): boolean {
  if (method !== 'DELETE' || status >= 300) return false
  const [path = ''] = url.split('?', 1)
  const id = decodeURIComponent(path.replace(/\/$/, '').replace(/^.*\//, ''))
  const kind = kindOf(operation.path)
  own[kind] = (own[kind] ?? []).filter((value) => String(value) !== id)
  return roots.has(kind) || own[kind].length === 0
}
