// Commands from standard input, answers to standard output; see ProcessSession.java.
import { readFileSync } from 'node:fs'
import { createInterface } from 'node:readline'

export class NotOffered extends Error {}

// What a client prints by itself must not get among the answers.
const write = process.stdout.write.bind(process.stdout)
console.log = console.info = console.debug = console.error

/** Runs a function for each command, named as the command, with its words. */
export async function serve(handlers, errorName = error => error.name) {
  for await (const line of createInterface({ input: process.stdin })) {
    const [name, ...words] = line.split('\t')
    const lines = []
    let end = '= done'
    try {
      if (!(name in handlers)) {
        throw new NotOffered()
      }
      lines.push(...((await handlers[name](...words)) ?? []))
    } catch (error) {
      if (error instanceof NotOffered) {
        end = '= not offered'
      } else {
        console.error(error)
        end = `= refused ${errorName(error)}: ${error.message.replaceAll('\n', ' ')}`
      }
    }
    write([...lines.map(line => `| ${line}`), end].join('\n') + '\n')
  }
  process.exit()
}

/** The records of a file, as they stand in commands and answers. */
export function readRecords(file) {
  return readFileSync(file, 'utf8')
    .split('\n')
    .filter(line => line !== '')
    .map(line => {
      const [key, value, headers, timestamp] = line.split('\t')
      return {
        key: key === '~' ? null : key,
        value: value === '~' ? null : value,
        headers: headers.split(';').map(header => header.split('=')),
        timestamp
      }
    })
}

export function line(key, value, headers, timestamp) {
  const pairs = headers.map(([name, text]) => `${name}=${text}`)
  return [key ?? '~', value ?? '~', pairs.join(';'), timestamp].join('\t')
}

/** Rejects when it takes too long, so that the matrix can say at which command. */
export function within(promise, what) {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(`${what} takes too long`)), 20_000)
    promise.then(resolve, reject).finally(() => clearTimeout(timer))
  })
}
