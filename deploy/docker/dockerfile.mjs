/**
 * Parses the subset of the Dockerfile language that this repository uses: arguments before the first stage, and stages
 * with their steps `{ word, flags, text }` in order; `text` follows the word and its flags.
 */
export function readDockerfile(source) {
  const lines = source
    .replace(/^\s*#.*\n/gm, '')
    .replace(/\\\n\s*/g, '')
    .split('\n')
    .filter((line) => line.trim() !== '')
  const steps = lines.map(readStep)
  const first = steps.findIndex(({ word }) => word === 'FROM')
  const stages = []
  for (const step of steps.slice(first)) {
    if (step.word === 'FROM') stages.push(stageOf(step))
    else stages.at(-1).steps.push(step)
  }
  const args = steps.slice(0, first).map(({ text }) => text.split('='))
  return { args: Object.fromEntries(args), stages }
}

function readStep(line) {
  const [, word, flags, text] = /^(\S+)\s+((?:--\S+\s+)*)(.*)$/.exec(line.trim()) ?? []
  if (!word) throw new Error(`${line}: expected an instruction with arguments`)
  const given = flags.split(/\s+/).filter((flag) => flag !== '')
  return {
    word,
    flags: Object.fromEntries(given.map((flag) => flag.slice(2).split(/=(.*)/))),
    text,
  }
}

function stageOf({ text }) {
  const [, from, name] = /^(\S+) AS (\S+)$/.exec(text) ?? []
  if (!name) throw new Error(`FROM ${text}: expected an image and AS a name`)
  return { from, name, steps: [] }
}

/** Replaces `${NAME}`; an unknown name is an error, because an empty word would go unnoticed. */
export function fillVariables(text, values) {
  return text.replace(/\$\{([A-Z_]+)\}/g, (_, name) => {
    if (!(name in values)) throw new Error(`\${${name}} has no value in: ${text}`)
    return values[name]
  })
}

/**
 * Returns a predicate for whether a path is part of the build context, from a .dockerignore of `*`, `!path` and
 * names below any folder.
 */
export function readIgnore(source) {
  const lines = source.split('\n').filter((line) => line !== '' && !line.startsWith('#'))
  const kept = lines.filter((line) => line.startsWith('!')).map((line) => line.slice(1))
  const names = lines.filter((line) => line.startsWith('**/')).map((line) => matcher(line.slice(3)))
  return (path) => {
    const isKept = kept.some((one) => path === one || path.startsWith(`${one}/`))
    return isKept && !path.split('/').some((part) => names.some((name) => name.test(part)))
  }
}

const matcher = (pattern) => new RegExp(`^${pattern.replaceAll('.', '\\.').replaceAll('*', '.*')}$`)
