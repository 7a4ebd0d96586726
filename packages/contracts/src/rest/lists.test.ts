import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { accessTokenFields, accessTokenList } from './auth.ts'
import { jobFields, jobList } from './jobs.ts'
import { labelFields, labelList } from './labels.ts'
import { listFields, listOf } from './lists.ts'
import { projectFields, projectList } from './projects.ts'
import { requestFields, requestList } from './requests.ts'
import { taskFields, taskList } from './tasks.ts'
import { webhookFields, webhookList } from './webhooks.ts'

const fields = listFields({
  equal: { id: 'integer', name: 'text', is_new: 'flag', status: ['open', 'done'] },
  more: { date: 'date', size: 'integer' },
  search: ['name', 'status'],
  unsorted: ['size'],
  order: '-id',
})
const list = listOf(fields)

describe('the query of a list', () => {
  test('simple filters are parsed as the types of their fields', () => {
    const given = { id: '7', name: 'a', is_new: 'yes', status: 'open' }
    expect(list.parse(given)).toEqual({ id: 7, name: 'a', is_new: true, status: 'open' })
  })

  test('an empty parameter counts as absent', () => {
    const given = { id: '', name: '', is_new: '', status: '', filter: '' }
    expect(Object.values(list.parse(given)).filter((value) => value !== undefined)).toEqual([])
  })

  test.each([
    { id: 'x' },
    { id: '1.5' },
    { id: '2147483648' },
    { is_new: 'perhaps' },
    { status: 'closed' },
    { status: 'OPEN' },
    { search: 'x'.repeat(257) },
    { filter: '{' },
  ])('%j is rejected with an error of that parameter', (given) => {
    expect(list.safeParse(given).error?.issues[0]?.path).toEqual(Object.keys(given))
  })

  test('a search is limited to 256 characters', () => {
    expect(list.parse({ search: 'x'.repeat(256) }).search).toHaveLength(256)
  })

  test('a filter accepts the simple filters and the additional fields', () => {
    const given = (name: string) => ({ filter: JSON.stringify({ var: name }) })
    for (const name of ['id', 'name', 'is_new', 'status', 'date', 'size'])
      expect(list.safeParse(given(name)).success).toBe(true)
    expect(list.safeParse(given('colour')).success).toBe(false)
  })

  test('a filter compares values of a vocabulary as text', () => {
    const filter = JSON.stringify({ '==': [{ var: 'status' }, 'closed'] })
    expect(list.parse({ filter }).filter).toMatchObject({ value: 'closed' })
  })
})

const words = (text: string) => text.split(' ').sort()

/** Fields of every list as specified. See docs/spec/rest.md#list-fields. */
describe.each([
  {
    name: 'projects',
    fields: projectFields,
    query: projectList,
    order: '-id',
    search: 'name owner assignee status',
    equal: 'id name owner assignee status',
    filter: 'created_date updated_date',
    sort: 'id name owner assignee status created_date updated_date',
  },
  {
    name: 'tasks',
    fields: taskFields,
    query: taskList,
    order: '-id',
    search:
      'project_name name owner status assignee subset mode dimension tracker_link validation_mode',
    equal:
      'id project_name name owner status assignee subset mode dimension tracker_link validation_mode project_id',
    filter: 'created_date updated_date size',
    sort: 'id project_name name owner status assignee subset mode dimension tracker_link validation_mode project_id created_date updated_date',
  },
  {
    name: 'jobs',
    fields: jobFields,
    query: jobList,
    order: '-id',
    search: 'task_name project_name assignee state stage',
    equal:
      'id task_name project_name assignee state stage task_id project_id type parent_job_id dimension mode',
    filter: 'created_date updated_date frame_count',
    sort: 'id task_name project_name assignee state stage task_id project_id type parent_job_id dimension mode created_date updated_date',
  },
  {
    name: 'labels',
    fields: labelFields,
    query: labelList,
    order: 'id',
    search: 'name parent',
    equal: 'id name parent parent_id type color',
    filter: '',
    sort: 'id name parent parent_id type color',
  },
  {
    name: 'access tokens',
    fields: accessTokenFields,
    query: accessTokenList,
    order: '-id',
    search: 'name',
    equal: 'id name read_only',
    filter: 'created_date updated_date expiry_date last_used_date',
    sort: 'id name read_only created_date updated_date expiry_date last_used_date',
  },
  {
    name: 'requests',
    fields: requestFields,
    query: requestList,
    order: '-created_date',
    search: '',
    equal: 'id status action target subresource format project_id task_id job_id org_id',
    filter: 'created_date',
    sort: 'created_date status action',
  },
  {
    name: 'webhooks',
    fields: webhookFields,
    query: webhookList,
    order: '-id',
    search: 'target_url owner description',
    equal: 'id target_url owner type project_id',
    filter: 'description updated_date',
    sort: 'id target_url owner type project_id description updated_date',
  },
])('the list of $name', (row) => {
  test('the fields for search, filters and sorting are those of the contract', () => {
    const { fields } = row
    expect(fields.search.toSorted().join(' ')).toBe(words(row.search).join(' '))
    expect(Object.keys(fields.equal).sort()).toEqual(words(row.equal))
    expect(Object.keys(fields.more).sort().join(' ')).toBe(words(row.filter).join(' '))
    expect(fields.sort.toSorted()).toEqual(words(row.sort))
    expect(fields.order).toBe(row.order)
  })

  test('the documented parameters name these fields', () => {
    const shape: Record<string, z.ZodType> = row.query.shape
    const shown = (name: string) =>
      JSON.stringify(
        z.toJSONSchema(shape[name] ?? z.any(), { io: 'input', unrepresentable: 'any' }),
      )
    for (const name of words(row.equal)) expect(shape).toHaveProperty(name)
    for (const name of words(row.sort)) expect(shown('sort')).toContain(name)
    for (const name of words(row.equal)) expect(shown('filter')).toContain(name)
    expect('search' in shape).toBe(row.search !== '')
    if (row.search) expect(shown('search')).toContain(words(row.search)[0])
  })
})
