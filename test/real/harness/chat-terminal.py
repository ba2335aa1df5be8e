"""Runs a command on a pseudo-terminal and answers its prompts; prints the terminal output and the exit code.

chat-terminal.py ANSWERS COMMAND...    ANSWERS is JSON: [[prompt, answer], ...]; an answer is typed once its prompt is shown.
"""
import json, os, pty, select, sys

answers = json.loads(sys.argv[1])
child, terminal = pty.fork()
if child == 0:
    os.execvp(sys.argv[2], sys.argv[2:])
shown, seen = b'', 0
while True:
    readable, _, _ = select.select([terminal], [], [], 60)
    if not readable:
        break
    try:
        piece = os.read(terminal, 4096)
    except OSError:
        break
    if not piece:
        break
    shown += piece
    if answers and answers[0][0].encode() in shown[seen:]:
        seen = len(shown)
        os.write(terminal, answers.pop(0)[1].encode())
_, status = os.waitpid(child, 0)
print(json.dumps({'shown': shown.decode(), 'code': os.waitstatus_to_exitcode(status)}))
