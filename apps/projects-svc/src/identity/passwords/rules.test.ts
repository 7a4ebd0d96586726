import { expect, test } from 'vitest'
import { commonPasswords } from './common-passwords.ts'
import { passwordProblems } from './rules.ts'

/** Password rules. */

const owner = {
  username: 'margarethe',
  email: 'grete.hollister@sunflower-fields.example.org',
  first_name: 'Margareta',
  last_name: 'Hollister',
}

test.each([
  'Blue-Kettle-42',
  'a quiet morning in the harbour',
  'ÄÖÜ ßéç 12',
  ' 8 long ',
  `margarethe ${'and something that is far longer than a name '.repeat(3)}`,
])('%j is accepted', (password) => {
  expect(passwordProblems(password, owner)).toEqual([])
})

const short = 'This password is too short. It must contain at least 8 characters.'
const common = 'This password is too common.'
const numeric = 'This password is entirely numeric.'
const like = (what: string) => `The password is too similar to the ${what}.`

test.each([
  ['', [short]],
  ['Kettle4', [short]],
  ['1234', [short, numeric]],
  ['8406133297', [numeric]],
  ['٤٨٣٩٢٠١٧', [numeric]],
  ['password', [common]],
  [' PassWord123 ', [common]],
  ['qwertyuiop', [common]],
  ['margarethe', [like('username')]],
  ['Margarethe!', [like('username')]],
  ['ehteragram', [like('username')]],
  ['xHOLLISTER', [like('last name')]],
  ['sunflower-fields', [like('email address')]],
])('%j is rejected with %j', (password, problems) => {
  expect(passwordProblems(password, owner)).toEqual(problems)
})

test('empty fields of a user are similar to no password', () => {
  const unknown = { username: 'someone', email: '', first_name: '', last_name: '' }
  expect(passwordProblems('Blue-Kettle-42', unknown)).toEqual([])
})

test('the list contains only passwords that no other rule rejects', () => {
  const useless = [...commonPasswords].filter(
    (one) => one.length < 8 || /^\d+$/.test(one) || one !== one.toLowerCase(),
  )
  expect(useless).toEqual([])
})
