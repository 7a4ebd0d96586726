import { type AnswerName, answerNames, startAnswer } from './answers.ts'

/** Entry of the process of `answers-process.ts`: runs every server of `answers.ts` until it is ended. */

/** Message with the addresses of the servers. */
export interface FromAnswers {
  urls: Record<AnswerName, string>
  /** Trusted certificates in PEM. */
  ca: string
}

const started = await Promise.all(
  answerNames.map(async (name) => ({ name, ...(await startAnswer(name)) })),
)
const urls = Object.fromEntries(started.map(({ name, url }) => [name, url]))
process.send?.({ urls, ca: started.map(({ ca = '' }) => ca).join('') })
process.once('disconnect', () => process.exit(0))
