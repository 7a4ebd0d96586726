import { expect, test } from 'vitest'
import { actionOf, eventGroups } from './event-groups.ts'

test('events are grouped by resource', () => {
  const events = ['create:task', 'create:job', 'update:task', 'completed:request[create:task]']
  expect(eventGroups(events)).toEqual([
    { about: 'task', events: ['create:task', 'update:task'] },
    { about: 'job', events: ['create:job'] },
    { about: 'request completed', events: ['completed:request[create:task]'] },
  ])
  expect(events.map(actionOf)).toEqual(['create', 'create', 'update', 'create:task'])
})
