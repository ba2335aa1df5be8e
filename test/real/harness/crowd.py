"""Many connections from many addresses: crowd.py HOST PORT. Commands and answers are lines of JSON.

{"open": [ADDRESS, COUNT, TEXT, AGAIN]}: connects from the address, sends the text, and with AGAIN connects again 0.2 s after each end. Answers the group.
{"look": GROUP}: how many of its connections are open, and what each connection received so far.
"""
import json, os, select, socket, sys, time

host, port = sys.argv[1], int(sys.argv[2])
groups, connections, later = [], {}, []
commands = b""


def connect(group):
    connection = socket.socket()
    connection.bind((group["from"], 0))
    connection.setblocking(False)
    connection.connect_ex((host, port))
    connections[connection.fileno()] = (connection, group, bytearray())
    group["open"] += 1
    poller.register(connection, select.POLLIN | select.POLLOUT)


def end(number):
    connection, group, received = connections.pop(number)
    poller.unregister(number)
    connection.close()
    group["open"] -= 1
    group["received"].append(received.decode("latin1"))
    if group["again"]:
        later.append((time.monotonic() + 0.2, group))


def answer(command):
    if "open" in command:
        address, count, text, again = command["open"]
        groups.append({"from": address, "text": text.encode(), "again": again, "open": 0, "received": []})
        for _ in range(count):
            connect(groups[-1])
        return len(groups) - 1
    group = groups[command["look"]]
    received = [text.decode("latin1") for _, of, text in connections.values() if of is group]
    return {"open": group["open"], "received": group["received"] + received}


poller = select.poll()
poller.register(0, select.POLLIN)
while True:
    for number, event in poller.poll(50):
        if number == 0:
            data = os.read(0, 65536)
            if not data:
                sys.exit(0)
            *lines, commands = (commands + data).split(b"\n")
            for line in lines:
                print(json.dumps(answer(json.loads(line))), flush=True)
            continue
        if number not in connections:
            continue
        connection, group, received = connections[number]
        try:
            if event & select.POLLOUT:
                connection.send(group["text"])
                poller.modify(number, select.POLLIN)
            if event & (select.POLLIN | select.POLLHUP | select.POLLERR):
                data = connection.recv(65536)
                received += data
                if not data:
                    end(number)
        except OSError:
            end(number)
    while later and later[0][0] <= time.monotonic():
        connect(later.pop(0)[1])
