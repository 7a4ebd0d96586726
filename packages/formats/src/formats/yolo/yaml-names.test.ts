import { expect, test } from 'vitest'
import { yamlNames } from './yaml-names.ts'

const namesIn = (text: string) => [...yamlNames(text.split('\n'), 'data.yaml')]

test.each([
  [
    "names: [car, \"b, c\", 'it''s']",
    [
      [0, 'car'],
      [1, 'b, c'],
      [2, "it's"],
    ],
  ],
  [
    'names: [car,\n  bus,\n]',
    [
      [0, 'car'],
      [1, 'bus'],
    ],
  ],
  [
    'names: {0: car, 2: "a: b"}',
    [
      [0, 'car'],
      [2, 'a: b'],
    ],
  ],
  [
    'names: [ 5\' , "open ]',
    [
      [0, "5'"],
      [1, '"open'],
    ],
  ],
  [
    'names: [12, 3 cars]',
    [
      [0, '12'],
      [1, '3 cars'],
    ],
  ],
  [
    'names:\n  0: car\n  1: "a # b" # c\n  # d\nnc: 2',
    [
      [0, 'car'],
      [1, 'a # b'],
    ],
  ],
  [
    'names:\n- car # c\n-   bus\n',
    [
      [0, 'car'],
      [1, 'bus'],
    ],
  ],
  ["names:\n  '3': car", [[3, 'car']]],
])('the names in %j are read as %j', (text, names) => {
  expect(namesIn(text)).toEqual(names)
})

test.each(['names: []', 'names:\n  - ', 'nc: 1'])('%j contains no names', (text) => {
  const read = () => namesIn(text)
  if (text === 'names: []') expect(read()).toEqual([])
  else expect(read).toThrow('data.yaml')
})
