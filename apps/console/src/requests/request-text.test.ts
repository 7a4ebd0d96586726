import type { Request } from '@reticle/sdk'
import { expect, test } from 'vitest'
import { durationText, localLink, progressText, requestTypeText } from './request-text.ts'

const request: Request = {
  status: 'started',
  id: 'rq',
  message: '',
  progress: 0.426,
  queue_position: null,
  eta_seconds: null,
  bytes_done: null,
  bytes_total: null,
  items_done: null,
  items_total: null,
  attempt: 1,
  created_date: '',
  started_date: null,
  finished_date: null,
  expiry_date: null,
  owner: { id: 1, username: 'anna' },
  result_url: null,
  result_id: null,
  report: null,
  operation: {
    type: 'export:annotations',
    target: 'task',
    project_id: null,
    task_id: 1,
    job_id: null,
    org_id: null,
    format: null,
    function_id: null,
    lightweight: null,
  },
}

test('a request type has a name', () => {
  expect(requestTypeText(request)).toBe('Export of annotations')
  const operation = { ...request.operation, type: 'create:task' }
  expect(requestTypeText({ ...request, operation })).toBe('Creation of a task')
})

test('the status text contains everything that is known', () => {
  expect(progressText(request)).toBe('42 %')
  const known = { items_done: 5, items_total: 12, eta_seconds: 100 }
  expect(progressText({ ...request, ...known })).toBe('42 %, 5 of 12 items, about 2 min left')
  const queued: Request = { ...request, status: 'queued' }
  expect(progressText({ ...queued, queue_position: 0 })).toBe('next in the queue')
  expect(progressText({ ...queued, queue_position: 3 })).toBe('3 ahead in the queue')
  expect(progressText({ ...request, status: 'finished' })).toBe('')
})

test('durations are rounded', () => {
  expect([0.2, 59, 100, 7200].map(durationText)).toEqual(['1 s', '59 s', '2 min', '2 h'])
})

test('a result link points to this site', () => {
  expect(localLink('https://else.example.org/api/tasks/1/dataset/download?rq_id=a%3Db')).toBe(
    '/api/tasks/1/dataset/download?rq_id=a%3Db',
  )
})
