// Tamis for opencode: filters the output of tools. Put this file into ~/.config/opencode/plugins/ (all
// projects) or .opencode/plugins/ (one).
//
// If `tamis hook` does not answer, the output stays unchanged, and a notice and opencode's log say so once. If the
// policy redacts, the output is withheld instead. The answers of `tamis hook` say whether it does; before the first
// answer, it does if it did when this file was printed.
import { spawn } from "node:child_process"

const COMMAND = process.env.TAMIS_COMMAND || "@TAMIS@"
const REDACTED_WHEN_PRINTED = "@REDACTS@"
const DEADLINE_MS = 20000
const REASON_CHARACTERS = 500
const WITHHELD =
  "[tamis] Withheld: Tamis did not answer, and its policy redacts, so it passes nothing of this output. Only the user can fix this: opencode's log contains the reason."

// Resolves to `{ answer }`, or to `{ failure }` with the reason.
function hook(directory, event) {
  const run = new Promise((resolve) => {
    const output = []
    let errors = ""
    const child = spawn(COMMAND, ["hook"], { cwd: directory, stdio: ["pipe", "pipe", "pipe"] })
    const end = (result) => {
      clearTimeout(timer)
      resolve(result)
    }
    const timer = setTimeout(() => {
      child.kill("SIGKILL")
      end({ failure: `no answer within ${DEADLINE_MS / 1000} seconds` })
    }, DEADLINE_MS)
    child.on("error", (error) => end({ failure: error.message }))
    child.stdin.on("error", () => {})
    child.stdout.on("data", (chunk) => output.push(chunk))
    child.stderr.on("data", (chunk) => {
      errors = `${errors}${chunk}`.slice(-REASON_CHARACTERS)
    })
    child.on("close", (code, signal) => {
      if (code !== 0) return end({ failure: errors.trim() || `it ended with ${code ?? signal}` })
      try {
        end({ answer: output.length ? JSON.parse(Buffer.concat(output).toString()) : {} })
      } catch (error) {
        end({ failure: `its answer is not JSON: ${error.message}` })
      }
    })
    child.stdin.end(JSON.stringify(event))
  })
  return run.catch((error) => ({ failure: error.message }))
}

export const Tamis = async ({ client, directory }) => {
  let redacts = REDACTED_WHEN_PRINTED
  let said

  // The session does not wait for this, and no error of it counts.
  function say(failure) {
    const effect = redacts ? "are withheld, because the policy redacts" : "are not filtered"
    if (said === effect) return
    said = effect
    const message = `tamis hook does not answer, so outputs of tools ${effect}: ${failure}`
    const log = async () => client.app.log({ body: { service: "tamis", level: "error", message } })
    const show = async () => client.tui.showToast({ body: { title: "Tamis", message, variant: "error" } })
    Promise.allSettled([log(), show()])
  }

  return {
    "tool.execute.after": async (input, output) => {
      const { output: text, content, metadata } = output
      const { truncated, outputPath } = metadata ?? {}
      const { answer, failure } = await hook(directory, {
        tamis_plugin: "opencode",
        hook_event_name: "tool.execute.after",
        session_id: input.sessionID,
        tool_name: input.tool,
        tool_input: input.args ?? {},
        tool_response: { output: text, content, metadata: { truncated, outputPath } },
      })
      if (answer) {
        redacts = answer.redacts === true
        if (typeof answer.output === "string") output.output = answer.output
        if (Array.isArray(answer.content)) output.content = answer.content
        return
      }
      say(failure)
      if (!redacts) return
      if (Array.isArray(content)) output.content = [{ type: "text", text: WITHHELD }]
      else output.output = WITHHELD
      if (output.attachments) output.attachments = []
    },
  }
}
