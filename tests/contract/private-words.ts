/**
 * Words that stand for a term of `docs/glossary.md` in private English, each with what to write in its place. They are
 * fine in a few plain sentences, such as `who` for people, so the language test bounds their rate and not their use.
 */
export const privateWords: readonly [pattern: string, write: string][] = [
  ['told|tells?', 'sent, reported, received'],
  ['says?|said', 'states, contains, returns'],
  ['asks?|asked', 'requests, queries, requested'],
  ['heard|hears', 'received'],
  ['nobody|somebody|anybody|whoever|whom|who', 'the user, the client, the caller, the owner'],
  ['whatever|wherever', 'any, each'],
  ['what (?:is|was|comes|came|has|it|they)', 'the noun: the rows, the bytes, the request'],
  ['anew', 'again'],
  ['wish(?:es)?', 'option, request'],
  ['owed', 'pending'],
  ['gone', 'deleted, closed, missing'],
  ['lies|stands', 'is, is stored'],
  ['begun|thereby', 'started; by this'],
  ['(?:is|are|has) no\\b|there (?:is|are) no', 'is not a, has none, no X exists'],
  ["of (?:theirs|ours|its own)|one's own", 'their, our, its'],
  ['goes (?:by|on|with)|comes? (?:from|of|out)|keeps? of', 'a verb that names what happens'],
]

/** Matches one private word. */
export const privateWord = new RegExp(
  `\\b(?:${privateWords.map(([pattern]) => pattern).join('|')})\\b`,
  'gi',
)
