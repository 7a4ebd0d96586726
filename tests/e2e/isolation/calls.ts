import { type Operation, restOperations } from '@reticle/contracts'
import { isPage } from '@reticle/contracts/api/operation'
import { bodies, queries } from '../../support/accepted.ts'
import type { AnyJson, ApiRequestInit } from '../../support/client.ts'
import { annotationFile, assetForm, createImage, datasetFile } from '../../support/pictures.ts'
import { tus } from '../../support/tus.ts'
import { type Tenant, type TenantIds, uploadForm } from './tenants.ts'

/** A workspace whose objects are requested by users without any access to it. */
export interface Foreign {
  slug: string
  username: string
  ids: TenantIds
}

export interface IsolationCall {
  operation: Operation
  path: string
  query?: string
  json?: AnyJson
  headers?: Record<string, string>
  /**
   * Expected answer. `refused`: 403 or 404; `none`: a list without foreign objects; `not done`: the body names foreign
   * objects, and nothing changes.
   */
  answer?: 403 | 404 | 'refused' | 'none' | 'not done'
}

const isGone = 410
const closed = restOperations.filter((one) => one.access !== 'anyone' && one.success !== isGone)
const enc = (value: unknown) => encodeURIComponent(String(value))

/** Returns the address of an operation on the objects in `ids`. */
export function pathOf({ path }: Operation, ids: TenantIds): string {
  const [, first = ''] = path.split('/')
  const id = ids[first]
  if (path.includes(':') && id === undefined) throw new Error(`there is no foreign ${first}`)
  const parts = path
    .replace(':delivery_id', enc(ids.deliveries))
    .replace(':file_id', enc(fileOf(path, ids)))
    .replace(':revision', '1')
  return parts.replace(/:\w+/, enc(id))
}

/** Files of restores belong to no object. */
const fileOf = (path: string, ids: TenantIds) => {
  const [, owner] = /^\/(\w+\/backup)\/:file_id/.exec(path) ?? []
  return ids[owner ?? 'files']
}

export function buildCalls(foreign: readonly Foreign[], own: Tenant): IsolationCall[] {
  return closed.flatMap((operation) => [
    ...foreign.flatMap((one) => [
      ...inPath(operation, one, own),
      ...inQuery(operation, one, own),
      ...inPlace(operation, one, own),
    ]),
    ...(isList(operation) ? sorted(operation) : []),
    ...foreign.slice(0, 1).flatMap((one) => inScope(operation, one, own)),
  ])
}

const hasId = ({ path }: Operation) => path.includes(':')
const isList = ({ answers }: Operation) => answers[200] !== undefined && isPage(answers[200])

function base(operation: Operation): Pick<IsolationCall, 'operation' | 'query' | 'json'> {
  const { name } = operation
  return { operation, query: queries[name] ?? '?', json: bodies[name] }
}

/** Users outside of an organization get 404 on these, so that they cannot learn whether it exists. */
const tellsNothing = /^\/(?:organizations|memberships|invitations)\//

const partKinds = ['deliveries', 'files', 'projects/backup', 'tasks/backup']

/** Requests the foreign object itself, and a foreign part through an own parent. */
function inPath(operation: Operation, { ids }: Foreign, own: Tenant): IsolationCall[] {
  if (!hasId(operation)) return []
  const answer = tellsNothing.test(operation.path) ? 404 : 403
  const call = { ...base(operation), path: pathOf(operation, ids), answer } as const
  const rq_id = operation.name.startsWith('download') ? `?rq_id=${enc(ids.requests)}` : call.query
  const whole = { ...call, query: rq_id }
  if (!/:(?:delivery|file)_id/.test(operation.path)) return [whole]
  const parts = partKinds.map((kind) => [kind, ids[kind] ?? ''])
  const mixed = { ...own.ids, ...Object.fromEntries(parts) }
  return [whole, { ...call, path: pathOf(operation, mixed), answer: 'refused' }]
}

/** Values of the foreign workspace for a parameter with this name. */
function valuesOf(name: string, operation: Operation, { ids, slug, username }: Foreign) {
  const [, resource = ''] = operation.path.split('/')
  const kinds: Record<string, string> = {
    ...{ project_id: 'projects', task_id: 'tasks', job_id: 'jobs', parent_job_id: 'jobs' },
    ...{ issue_id: 'issues', user_id: 'users', org_id: 'organizations', rq_id: 'requests' },
    ...{
      id: resource,
      parent_id: 'labels',
      query_id: 'requests',
      cloud_storage_id: 'cloudstorages',
    },
  }
  const kind = kinds[name]
  const id = kind === undefined ? undefined : ids[kind]
  if (id !== undefined) return [id]
  if (kind !== undefined) return []
  return ['owner', 'author', 'assignee', 'user', 'username'].includes(name)
    ? [username]
    : [`${slug}-project`]
}

const paging = ['page', 'page_size', 'sort', 'filter', 'search', 'wait']

/** Reads with foreign values: as query parameters, as filter expressions and as searches. */
function inQuery(operation: Operation, foreign: Foreign, own: Tenant): IsolationCall[] {
  const { query, json } = base(operation)
  const path = pathOf(operation, own.ids)
  const isSafe = operation.method === 'GET' || !hasId(operation)
  if (!isSafe) return []
  const names = Object.keys(operation.query?.shape ?? {}).filter((one) => !paging.includes(one))
  const simple = names.flatMap((name) =>
    valuesOf(name, operation, foreign).map((value): IsolationCall => {
      const answer = isList(operation) ? 'none' : undefined
      return { operation, path, json, query: `${query}&${name}=${enc(value)}`, answer }
    }),
  )
  if (!isList(operation)) return simple
  return [...simple, ...filtered(operation, foreign, names), ...searched(operation, foreign)]
}

/** Foreign cloud storages as source or target of the caller's own files. */
function inPlace(operation: Operation, { ids }: Foreign, own: Tenant): IsolationCall[] {
  const { shape = {} } = operation.query ?? {}
  if (operation.method !== 'POST' || !('cloud_storage_id' in shape && 'location' in shape))
    return []
  const { query = '?' } = base(operation)
  const cloudQuery = `location=cloud_storage&cloud_storage_id=${enc(ids.cloudstorages)}&filename=a.zip`
  const path = pathOf(operation, own.ids)
  return [{ operation, path, query: `${query}&${cloudQuery}`, answer: 'refused' }]
}

function filtered(
  operation: Operation,
  foreign: Foreign,
  names: readonly string[],
): IsolationCall[] {
  const path = operation.path
  return names.flatMap((name) =>
    valuesOf(name, operation, foreign).flatMap((value) => {
      const field = { var: name }
      const filterCall = (expression: AnyJson, answer?: 'none'): IsolationCall => ({
        ...{ operation, path, answer, query: `?filter=${enc(JSON.stringify(expression))}` },
      })
      return [
        filterCall({ in: [field, [value]] }, 'none'),
        filterCall({ or: [{ '==': [field, value] }, { '!': { '==': [field, value] } }] }),
      ]
    }),
  )
}

function searched(operation: Operation, { slug, username }: Foreign): IsolationCall[] {
  const answer = operation.path === '/requests' ? undefined : 'none' // requests are filtered by other parameters
  return [username, `"${slug}-project"`].map((text) => ({
    ...{ operation, path: operation.path, query: `?search=${enc(text)}`, answer },
  }))
}

function sorted(operation: Operation): IsolationCall[] {
  const names = Object.keys(operation.query?.shape ?? {}).filter((one) => !paging.includes(one))
  return names.flatMap((name) =>
    [name, `-${name}`].map((sort) => ({
      ...{ operation, path: operation.path, query: `?sort=${sort}&page_size=all` },
    })),
  )
}

/** Requests within the foreign organization, by each of its names. Objects of the caller keep their workspace. */
function inScope(operation: Operation, { slug, ids }: Foreign, own: Tenant): IsolationCall[] {
  if (operation.method !== 'GET' && hasId(operation)) return []
  const call = { ...base(operation), path: pathOf(operation, own.ids) }
  const { query = '?' } = call
  return [
    { ...call, headers: { 'x-organization': slug } },
    { ...call, query: `${query}&org=${enc(slug)}` },
    { ...call, query: `${query}&org_id=${enc(ids.organizations)}` },
  ]
}

type Reference = [operation: string, body: (ids: TenantIds) => AnyJson]

/** Bodies that refer to foreign objects, which must have no effect. */
const references: readonly Reference[] = [
  ['createProject', ({ users }) => ({ name: 'x', owner_id: users })],
  ['createProject', ({ users }) => ({ name: 'x', assignee_id: users })],
  ['updateProject', ({ users }) => ({ owner_id: users })],
  ['updateProject', ({ users }) => ({ assignee_id: users })],
  ['updateProject', ({ labels }) => ({ labels: [{ id: labels, name: 'taken' }] })],
  ['updateProject', ({ labels }) => ({ labels: [{ id: labels, deleted: true }] })],
  ['createProject', ({ cloudstorages }) => ({ name: 'x', target_storage: cloudOf(cloudstorages) })],
  ['updateTask', ({ cloudstorages }) => ({ source_storage: cloudOf(cloudstorages) })],
  ['updateProject', ({ organizations }) => ({ organization_id: organizations })],
  ['createAsset', ({ guides }) => ({ guide_id: guides })],
  ['createTask', ({ projects }) => ({ name: 'x', project_id: projects })],
  ['createTask', ({ users }) => ({ name: 'x', owner_id: users })],
  ['createTask', ({ users }) => ({ name: 'x', assignee_id: users })],
  ['updateTask', ({ projects }) => ({ project_id: projects })],
  ['updateTask', ({ users }) => ({ owner_id: users })],
  ['updateTask', ({ users }) => ({ assignee_id: users })],
  ['createJob', ({ tasks }) => ({ ...bodies.createJob, task_id: tasks })],
  ['updateJob', ({ users }) => ({ assignee: users })],
  ['createIssue', ({ jobs }) => ({ ...bodies.createIssue, job: jobs })],
  ['updateIssue', ({ users }) => ({ assignee: users })],
  ['createComment', ({ issues }) => ({ issue: issues, message: 'x' })],
  ['createGuide', ({ projects }) => ({ project_id: projects })],
  ['createGuide', ({ tasks }) => ({ task_id: tasks })],
  ['createWebhook', ({ projects }) => ({ ...bodies.createWebhook, project_id: projects })],
  ['transferOrganization', ({ users }) => ({ user_id: users })],
  ['replaceTaskAnnotations', ({ labels }) => ({ shapes: [shapeOf(labels)] })],
  ['replaceJobAnnotations', ({ labels }) => ({ shapes: [shapeOf(labels)] })],
]
const cloudOf = (cloud_storage_id: unknown) => ({ location: 'cloud_storage', cloud_storage_id })
const shapeOf = (label_id: unknown) => ({
  type: 'rectangle',
  label_id,
  frame: 0,
  points: [1, 2, 3, 4],
})

export function buildBodyCalls(foreign: readonly Foreign[], own: Tenant): IsolationCall[] {
  return foreign.flatMap(({ ids }) =>
    references.flatMap(([name, body]): IsolationCall[] => {
      const operation = closed.find((one) => one.name === name)
      if (!operation) throw new Error(`there is no operation ${name}`)
      return [{ operation, path: pathOf(operation, own.ids), json: body(ids), answer: 'not done' }]
    }),
  )
}

const chunk = { ...tus, 'upload-offset': '0', 'content-type': 'application/offset+octet-stream' }

/** Body and headers of a request. */
export async function requestOf({
  operation: { name },
  json,
  headers,
}: IsolationCall): Promise<ApiRequestInit> {
  if (name === 'uploadTaskData') return { form: await uploadForm(), headers }
  if (name === 'createAsset')
    return { form: assetForm(json?.guide_id ?? 0, await createImage('a.png', 8, 8)), headers }
  if (name.startsWith('send')) return { raw: 'x', headers: { ...chunk, ...headers } }
  if (name === 'importProjectDataset') return { form: datasetFile(Buffer.from('PK')), headers }
  if (name.startsWith('import')) return { form: annotationFile('{}', 'a.json'), headers }
  return { json, headers }
}
