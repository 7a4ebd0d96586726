import { expect, test } from 'vitest'
import { mayEdit } from './may-edit.ts'

const person = (id: number) => ({ url: '', id, username: 'p', first_name: '', last_name: '' })
const task = { owner: person(1), assignee: person(2), organization: null }

test.each([
  ['the owner', { id: 1, is_superuser: false }, task, true],
  ['the assignee', { id: 2, is_superuser: false }, task, true],
  ['an administrator', { id: 9, is_superuser: true }, task, true],
  ['a stranger', { id: 9, is_superuser: false }, task, false],
  ['a member', { id: 9, is_superuser: false }, { ...task, organization: 4 }, true],
  ['nobody', null, task, false],
])('the editor is shown or hidden correctly for %s', (_, self, of, may) => {
  expect(mayEdit(self, of)).toBe(may)
})
